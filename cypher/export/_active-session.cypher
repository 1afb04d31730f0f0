// One path never walks a relationship twice, so `x` is another session of the file.
// params: $since
  AND (s.endedAt >= datetime($since)
    OR EXISTS { MATCH (s)<-[:HOLDS]-(:TranscriptFile)-[:HOLDS]->(x:TranscriptSession) WHERE x.endedAt >= datetime($since) })
