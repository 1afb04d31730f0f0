// Puts a turn below its own world alone, and behind the turn before it alone; $before is empty for the first one.
// params: $worldKey $key $beforeKey $before
MATCH (w:World {key: $worldKey})
MATCH (t:Turn {key: $key})
CALL (t) { MATCH (:World)-[r:HAS_TURN]->(t) DELETE r }
CALL (t) { MATCH ()-[r:NEXT]->(t) DELETE r }
CREATE (w)-[:HAS_TURN]->(t)
WITH t
CALL (t) { MATCH (p:Turn {key: $beforeKey}) MATCH (p)-[r:NEXT]->() DELETE r }
FOREACH (key IN $before | MERGE (p:Turn {key: key}) CREATE (p)-[:NEXT]->(t))
RETURN t.key AS key
