// The texts of turns that a search finds, and where each turn belongs.
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})
MATCH (t)<-[:HAS_TURN]-(w:World)
RETURN t.key AS key, t.number AS number, t.digest AS digest, t.startedAt AS startedAt, t.completedAt AS completedAt,
       t.playerSummary AS summary, t.coachFeedback AS feedback, t.lessonsFromTurn AS lessons,
       t.blockersFound AS blockers, t.issueCount AS issueCount,
       [(t)-[:RAISED]->(i:Issue) | [i.position, i.description, i.suggestion]] AS issues,
       w.slug AS worldSlug, w.featureId AS featureId, w.taskId AS taskId,
       w.deletedAt IS NOT NULL OR w.forgottenAt IS NOT NULL OR coalesce(w.restoring, false) AS isHidden
