// Replaces the record of a turn. The old record changes its label, so that MATCH (:Turn) is correct without a
// filter, keeps its parts, and stays reachable by SUPERSEDES.
//
// Every pattern begins at a known node: Grafeo walks a pattern from its left end. Locks as in `turns/capture`.
// No row: a check failed (the turn has another record, or none).
// params: $worldKey $taskKey $turnKey $revision $token
MATCH (w:World {key: $worldKey})<-[:HAS_WORLD]-(task:Task {key: $taskKey})
SET w.rev = $token
WITH w, task
WHERE w.deletedAt IS NULL
  AND task.restoring IS NULL // a turn would make the rest of the restore fail
OPTIONAL MATCH (old:Turn {key: $turnKey}) // after a SET, Grafeo scans all turns for a MATCH by key, not for this
WITH w, task, old
WHERE old.revision = $revision // the revision that the caller read; no row if the record is gone
// include criteria/_extend
WITH w, task, old, completedAt
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) DELETE r } // a criterion that the ledger no longer names keeps no edge
CALL (old) { MATCH (old)<-[:NEXT]-(p:Turn) RETURN collect(p.key) AS before }
CALL (old) { MATCH (old)-[:NEXT]->(n:Turn) RETURN collect(n.key) AS after }
CALL (old) { MATCH (old)<-[r:NEXT]-(:Turn) DELETE r }
CALL (old) { MATCH (old)-[r:NEXT]->(:Turn) DELETE r }
CALL (old) { MATCH (old)<-[r:HAS_TURN]-(:World) DELETE r }
REMOVE old:Turn
SET old:SupersededTurn, old.key = old.key + '~' + toString(old.revision)
CREATE (w)-[:HAS_TURN]->(t:Turn {key: $turnKey})
CREATE (t)-[:SUPERSEDES]->(old)
FOREACH (key IN before | MERGE (p:Turn {key: key}) CREATE (p)-[:NEXT]->(t))
FOREACH (key IN after | MERGE (n:Turn {key: key}) CREATE (t)-[:NEXT]->(n))
// include turns/_parts
SET t.revision = old.revision + 1
WITH w, t
CALL (w) { MATCH (w)-[:HAS_TURN]->(x:Turn) RETURN max(x.completedAt) AS latest }
SET w.lastCompletedAt = latest, w.lastActivityAt = coalesce(latest, w.createdAt)
// include worlds/_changed
WITH t
// include turns/_transcribed
RETURN t.completedAt AS completedAt
