// Hangs a superseded record below the one that replaced it, and takes it out of the chain of turns.
// One of $turn and $superseded has the key of what replaced it.
// params: $key $turn $superseded
MATCH (o:SupersededTurn {key: $key})
CALL (o) { MATCH ()-[r:SUPERSEDES]->(o) DELETE r }
CALL (o) { MATCH (:World)-[r:HAS_TURN]->(o) DELETE r }
CALL (o) { MATCH (o)-[r:NEXT]-() DELETE r }
FOREACH (key IN $turn | MERGE (t:Turn {key: key}) CREATE (t)-[:SUPERSEDES]->(o))
FOREACH (key IN $superseded | MERGE (t:SupersededTurn {key: key}) CREATE (t)-[:SUPERSEDES]->(o))
RETURN o.key AS key
