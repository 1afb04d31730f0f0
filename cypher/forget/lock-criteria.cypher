// Locks the criteria of a task: no capture adds to them, and a capture that resolved criteria before resolves
// them again, because it may refer to a criterion that will be deleted. Locks: World (in the order of the
// keys), then Task.
// params: $taskKey $token
MATCH (task:Task {key: $taskKey})
CALL (task) {
  MATCH (task)-[:HAS_WORLD]->(w:World)
  WITH w
  ORDER BY w.key
  SET w.rev = $token
  SET w.ledgerRev = w.ledgerRev + 1
  RETURN count(w) AS worlds
}
SET task.rev = $token
SET task.criteriaRev = task.criteriaRev + 1
RETURN worlds
