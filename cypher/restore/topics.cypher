// What restored turns are about: other sessions find them by it, as they find those that were captured.
// params: $batch $token
UNWIND $batch.rows AS topics
MATCH (t:Turn {key: topics.turnKey})<-[:HAS_TURN]-(w:World)
// include elsewhere/_add-to-topics
RETURN count(t) AS written
