// Worlds with the numbers and digests of their turns: the search index reads the texts of turns that it does
// not have. The index hides deleted worlds and worlds that are being restored.
// params: $keys
UNWIND $keys AS key
MATCH (w:World {key: key})
RETURN w.key AS key, w.taskKey AS taskKey, w.turnCount AS turnCount,
       w.deletedAt IS NOT NULL OR w.forgottenAt IS NOT NULL OR coalesce(w.restoring, false) AS isHidden,
       [(w)-[:HAS_TURN]->(t:Turn) | [t.number, t.digest]] AS turns
