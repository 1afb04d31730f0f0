// Links a committed attempt to the record that it committed: the turn at that key, or a record that it
// superseded. No row: no such record has the attempt's digest.
// params: $key $turnKey $digest
MATCH (a:Attempt {key: $key})
MATCH (t:Turn {key: $turnKey})-[:SUPERSEDES*0..]->(o)
WHERE o.digest = $digest
WITH a, o
LIMIT 1
CALL (a) { MATCH (a)-[r:PRODUCED]->() DELETE r }
CREATE (a)-[:PRODUCED]->(o)
RETURN a.key AS key
