// The topics of restored turns: they connect restored sessions and others like captured ones. The world gives
// the feature of an approved turn.
// params: $batch $token
UNWIND $batch.rows AS row
MATCH (t:Turn {key: row.turnKey})<-[:HAS_TURN]-(w:World)
SET t.topics = row.names
WITH t, {entry: row.entry, turn: row.turn, left: row.left, keys: CASE WHEN t.coachDecision = 'approved'
  THEN [split(w.taskKey, '/')[0] + '/feature:' + split(w.taskKey, '/')[1] + '/' + toString(row.slot)] ELSE [] END + row.keys} AS topics
// include elsewhere/_add-to-topics
RETURN count(t) AS written
