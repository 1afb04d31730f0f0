// Locks the read position of each file and writes the position after the turns of this transaction, with the
// sessions of the file. A file without a row: another import has continued from that position, so this
// transaction must not write its turns. A session that moved to another folder has several files; the one
// with the newest record describes it. Locks: TranscriptFile (by `rev`), TranscriptSession; every other
// statement comes after.
// params: $batch $token
UNWIND $batch.files AS x
MERGE (f:TranscriptFile {key: x.key})
SET f.rev = $token
WITH f, x
WHERE coalesce(f.offset, -1) = x.expected
SET f += x.properties
SET f.changedAt = CASE WHEN f.changedAt >= timestamp() THEN f.changedAt + 1 ELSE timestamp() END // like worlds/_changed
SET f.changedIn = f.changedAt / 60000
FOREACH (s IN x.sessions |
  MERGE (n:TranscriptSession {key: s.key})
  FOREACH (now IN s.newest | SET n += now.properties, n.startedAt = datetime(now.startedAt), n.endedAt = datetime(now.endedAt))
  MERGE (f)-[:HOLDS]->(n)
  FOREACH (key IN s.parents |
    MERGE (p:TranscriptSession {key: key})
    MERGE (n)-[:AGENT_OF]->(p)))
RETURN f.key AS key
