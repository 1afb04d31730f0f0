// Counts the sessions of some files, their distinct turns, and the steps of these turns.
// params: $keys
UNWIND $keys AS key
MATCH (:TranscriptFile {key: key})-[:HOLDS]->(s:TranscriptSession)
WITH collect(DISTINCT s) AS sessions
UNWIND sessions AS s
OPTIONAL MATCH (s)-[:HAS_TURN]->(t:TranscriptTurn)
WITH size(sessions) AS sessionCount, count(t) AS held, collect(DISTINCT t) AS turns
RETURN sessionCount AS sessions, size(turns) AS turns, held - size(turns) AS mergedTurns,
       reduce(steps = 0, t IN turns | steps + t.length) AS steps
