// params: $turnNumber
OPTIONAL MATCH (w)-[:HAS_TURN]->(t:Turn)
WHERE t.number < $turnNumber
RETURN w.slug AS worldSlug, w.key AS worldKey, w.deletedAt IS NOT NULL AS deleted, max(t.number) AS previous
