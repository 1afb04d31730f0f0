// Takes a turn that stands under no number out of its world; the turn itself stays, with all that it says.
// params: $key
MATCH (t:Turn {key: $key})
CALL (t) { MATCH (:World)-[r:HAS_TURN]->(t) DELETE r }
CALL (t) { MATCH (t)-[r:NEXT]-() DELETE r }
RETURN t.key AS key
