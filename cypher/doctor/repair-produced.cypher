// Leads a committed attempt to the record that it committed: the turn that stands there, or one that was superseded since.
// No row: none of them has the attempt's digest.
// params: $key $turnKey $digest
MATCH (a:Attempt {key: $key})
MATCH (t:Turn {key: $turnKey})-[:SUPERSEDES*0..]->(o)
WHERE o.digest = $digest
WITH a, o
LIMIT 1
CALL (a) { MATCH (a)-[r:PRODUCED]->() DELETE r }
CREATE (a)-[:PRODUCED]->(o)
RETURN a.key AS key
