// An attempt by its key, and whether its world is deleted.
// params: $attemptKey
MATCH (a:Attempt {key: $attemptKey})<-[:HAS_ATTEMPT]-(w:World)
RETURN properties(a) AS attempt, w.deletedAt IS NOT NULL AS deleted
