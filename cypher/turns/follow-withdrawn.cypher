// Puts the new record of a withdrawn turn above the withdrawn one, in the transaction of its capture. No row: the withdrawn
// record is no longer the newest of its turn.
// params: $turnKey $withdrawnKey
MATCH (o:SupersededTurn {key: $withdrawnKey})<-[r:SUPERSEDES]-(:World)
MATCH (t:Turn {key: $turnKey})
CREATE (t)-[:SUPERSEDES]->(o)
SET t.revision = o.revision + 1
DELETE r
RETURN t.key AS key
