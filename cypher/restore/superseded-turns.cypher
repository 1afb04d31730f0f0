// Records that were replaced; `restore/supersedes-…` hangs them on.
// params: $batch $token
UNWIND $batch.rows AS x
CREATE (t:SupersededTurn {key: x.key})
// include restore/_record
RETURN count(t) AS written
