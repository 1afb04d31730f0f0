// What restored turns are about: other sessions find them by it, and they find other sessions, as captured ones do. The feature
// of an approved turn is known by its world.
// params: $batch $token
UNWIND $batch.rows AS row
MATCH (t:Turn {key: row.turnKey})<-[:HAS_TURN]-(w:World)
SET t.topics = row.names
WITH t, {entry: row.entry, turn: row.turn, left: row.left, keys: CASE WHEN t.coachDecision = 'approved'
  THEN [split(w.taskKey, '/')[0] + '/feature:' + split(w.taskKey, '/')[1] + '/' + toString(row.slot)] ELSE [] END + row.keys} AS topics
// include elsewhere/_add-to-topics
RETURN count(t) AS written
