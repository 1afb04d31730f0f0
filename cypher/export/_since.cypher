// A world moves when it is created, and when a turn of it is completed or recorded.
// params: $since
  AND (w.createdAt >= datetime($since) OR w.lastCompletedAt >= datetime($since)
    OR EXISTS { MATCH (w)-[:HAS_TURN]->(t:Turn) WHERE t.createdAt >= datetime($since) })
