// Adds verifications to a turn that has ended. Statements of one transaction; criteria/rewrite-progress ends it.
// when begin
// Locks: World, then Task if the additions extend its criteria. Accepts a world with an active run or attempt:
// the capture of its next turn resolves its record again if the ledger changed. No row: a check failed.
// params: $worldKey $taskKey $turnKey $token $ledgerRev $criteriaRev $extends $verificationCount $hasProofFiles
MATCH (w:World {key: $worldKey})<-[:HAS_WORLD]-(task:Task {key: $taskKey})
SET w.rev = $token
WITH w, task
WHERE w.deletedAt IS NULL
  AND task.restoring IS NULL // a world that changes would make the rest of the restore fail
  AND w.ledgerRev = $ledgerRev
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.rev = $token)
WITH w, task
WHERE NOT $extends OR task.criteriaRev = $criteriaRev
OPTIONAL MATCH (t:Turn {key: $turnKey}) // after a SET, Grafeo uses the index only for an OPTIONAL MATCH
WITH w, task, t
WHERE t IS NOT NULL
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.criteriaRev = $criteriaRev + 1)
SET t.verificationCount = $verificationCount,
    w.hasProofFiles = CASE WHEN $hasProofFiles THEN true ELSE w.hasProofFiles END
RETURN w.key AS key
// when place
// Moves stored additions if new ones have earlier times.
// params: $turnKey $places
MATCH (t:Turn {key: $turnKey})
UNWIND $places AS moved
MATCH (t)-[:RECORDED]->(v:Verification) WHERE v.additionDigest = moved.digest
SET v.position = moved.place
RETURN v.position AS place
// when create
// params: $project $turnKey $taskKey $criteria $agents
MATCH (t:Turn {key: $turnKey})
MATCH (task:Task {key: $taskKey})
FOREACH (c IN $criteria |
  MERGE (k:Criterion {key: c.key})
  FOREACH (properties IN c.changed |
    MERGE (task)-[:HAS_CRITERION]->(k)
    SET k += properties, k.project = $project)
  FOREACH (v IN c.verifications |
    CREATE (t)-[:RECORDED]->(x:Verification {project: $project})-[:OF]->(k)
    SET x += v))
FOREACH (a IN $agents |
  MERGE (y:Agent {key: a.key}) ON CREATE SET y.name = a.name, y.model = a.model, y.project = a.project
  MERGE (t)<-[:JUDGED]-(y))
RETURN t.key AS key
// end
