// A page of the runs of a world or of a project, newest first: those enqueued before an instant, or at that
// instant with a lower id. Runs of deleted worlds are not listed. Neo4j reads those of a project in the order
// of an index whose first property is `r.project`.
// params: $status $before $beforeId $limit
// when of-world
// params: $worldKey
MATCH (w:World {key: $worldKey})-[:HAS_RUN]->(r:TurnRun)
WHERE r.enqueuedAt <= datetime($before)
// when of-project
// params: $project
MATCH (r:TurnRun)<-[:HAS_RUN]-(w:World)
WHERE r.project = $project AND r.enqueuedAt <= datetime($before)
// end
WITH w, r, r.enqueuedAt < datetime($before) AS isEarlier
WHERE w.deletedAt IS NULL AND ($status = '' OR r.status = $status) AND (isEarlier OR r.turnRunId < $beforeId)
WITH w, r ORDER BY r.project DESC, r.enqueuedAt DESC, r.turnRunId DESC LIMIT $limit
RETURN properties(r) AS run, w.currentTurn AS currentTurn
