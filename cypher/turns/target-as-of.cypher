// The world of a context as of an earlier turn, with all criteria of its task. No row if the world does not exist.
// include worlds/_target
CALL (w) {
  MATCH (w)<-[:HAS_WORLD]-(task:Task)
  MATCH (task)-[:HAS_CRITERION]->(c:Criterion)
  RETURN collect(
// include criteria/_criterion
  ) AS criteria
}
RETURN w.slug AS slug, w.key AS key, w.taskKey AS taskKey, w.turnCount AS turnCount, w.specifiedAfter AS specifiedAfter,
       w.deletedAt IS NOT NULL AS deleted, criteria
