// The current state of worlds, with the records in them: a reader compares it with the records that it has
// read.
// params: $keys
UNWIND $keys AS key
MATCH (w:World {key: key})
RETURN properties(w) AS world,
       [(w)-[:HAS_TURN]->(t:Turn) | [t.number, t.revision, t.verificationCount]] AS turns,
       [(w)-[:SUPERSEDES]->(t:SupersededTurn) | [t.number, t.revision]] AS withdrawn,
       [(w)-[:HAS_ATTEMPT]->(a:Attempt) | [a.number, a.key]] AS attempts,
       [(w)-[:HAS_RUN]->(r:TurnRun) | [coalesce(r.fence, 0), r.key]] AS runs
