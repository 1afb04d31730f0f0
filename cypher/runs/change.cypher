// Writes the decision about a world's run and attempt (src/runs/lifecycle) in the transaction that locked
// the world. `activeWorldKey` is null, and so absent, once they have ended: its constraints make two active
// ones impossible, whatever a service assumes. Locks: World (held), Run, Attempt. The change is one map
// because Neo4j plans a statement again if a parameter changes between an empty and a full list.
// params: $worldKey $change
MATCH (w:World {key: $worldKey})
SET w += $change.world
// include worlds/_changed
FOREACH (x IN $change.runs |
  MERGE (r:TurnRun {key: x.key})
  SET r += x.properties,
      r.enqueuedAt = datetime(x.at.enqueued), r.startedAt = datetime(x.at.started),
      r.cancelRequestedAt = datetime(x.at.cancelRequested), r.nextAttemptAt = datetime(x.at.nextAttempt),
      r.endedAt = datetime(x.at.ended),
      r.changedAt = w.changedAt, r.changedIn = w.changedIn
  FOREACH (_ IN x.created | CREATE (w)-[:HAS_RUN]->(r)))
FOREACH (x IN $change.attempts |
  MERGE (a:Attempt {key: x.key})
  SET a += x.properties, a.startedAt = datetime(x.at.started), a.endedAt = datetime(x.at.ended)
  FOREACH (_ IN x.created | CREATE (w)-[:HAS_ATTEMPT]->(a))
  FOREACH (key IN x.createdIn | MERGE (r:TurnRun {key: key}) CREATE (r)-[:HAS_ATTEMPT]->(a))
  FOREACH (key IN x.produced | MERGE (t:Turn {key: key}) CREATE (a)-[:PRODUCED]->(t)))
RETURN w.key AS key
