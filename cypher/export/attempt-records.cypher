// Attempts of a world by their numbers in it, with what they produced.
// params: $seqKeys
UNWIND $seqKeys AS seqKey
MATCH (a:Attempt {worldSeqKey: seqKey})<-[:HAS_ATTEMPT]-(w:World)
RETURN properties(a) AS attempt, w.key AS world, [(a)-[:PRODUCED]->(t) | t.key] AS produced
