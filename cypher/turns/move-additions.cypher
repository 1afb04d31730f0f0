// Moves the verifications that were added to a record to the record that replaces it: they stay additions to
// the turn. A step after turns/supersede, in its transaction.
// params: $turnKey $replacedKey $counts
MATCH (old:SupersededTurn {key: $replacedKey})
MATCH (t:Turn {key: $turnKey})
SET old.verificationCount = $counts.replaced, t.verificationCount = $counts.current
WITH old, t
MATCH (old)-[r:RECORDED]->(v:Verification) WHERE v.addedAt IS NOT NULL
DELETE r
CREATE (t)-[:RECORDED]->(v)
SET v.position = v.position + $counts.shift
RETURN v.position AS place
