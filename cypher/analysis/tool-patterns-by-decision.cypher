// Which shapes of work the Coach approved, and which it sent back: of the turns whose transcripts are known, how often
// each tool pattern stands in an approved and in a rejected one. Many more rejected than approved: that is no way to work.
// params: $projectKey $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(:World)-[:HAS_TURN]->(t:Turn)
MATCH (t)-[:TRANSCRIBED_IN]->(:TranscriptSession)-[:HAS_TURN]->(x:TranscriptTurn)
WHERE x.length > 0 AND t.coachDecision IN ['approved', 'feedback', 'rejected']
  AND (t.startedAt IS NULL OR x.startedAt IS NULL OR x.startedAt >= t.startedAt)
  AND (t.completedAt IS NULL OR x.startedAt IS NULL OR x.startedAt <= t.completedAt)
WITH x.pattern AS pattern,
     sum(CASE WHEN t.coachDecision = 'approved' THEN 1 ELSE 0 END) AS approved,
     sum(CASE WHEN t.coachDecision = 'approved' THEN 0 ELSE 1 END) AS rejected,
     avg(x.length) AS avgLength
RETURN pattern, approved, rejected, avgLength
ORDER BY rejected - approved DESC, pattern LIMIT $limit
