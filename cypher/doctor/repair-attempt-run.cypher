// Hangs an attempt on the run that it names, alone.
// params: $key $runKey
MATCH (a:Attempt {key: $key})
MATCH (r:TurnRun {key: $runKey})
CALL (a) { MATCH (:TurnRun)-[x:HAS_ATTEMPT]->(a) DELETE x }
CREATE (r)-[:HAS_ATTEMPT]->(a)
RETURN a.key AS key
