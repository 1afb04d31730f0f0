// Attempts of a world by their numbers in it.
// params: $seqKeys
UNWIND $seqKeys AS seqKey
MATCH (a:Attempt {worldSeqKey: seqKey})
RETURN seqKey, properties(a) AS held, [(a)<-[:HAS_ATTEMPT]-(w:World) | w.key] AS worlds,
       [(a)<-[:HAS_ATTEMPT]-(r:TurnRun) | r.key] AS runs, [(a)-[:PRODUCED]->(t) | [t.key, t.digest]] AS produced
