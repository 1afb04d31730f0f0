// When a world was last active stands on it, so that Neo4j reads a page of a project's worlds or runs in the order of an index.
// Grafeo has no ordered index: it finds those of the project and sorts them.
MATCH (w:World) SET w.lastActivityAt = coalesce(w.lastCompletedAt, w.createdAt);
CREATE INDEX world_slug IF NOT EXISTS FOR (n:World) ON (n.project, n.slug);
CREATE INDEX world_activity IF NOT EXISTS FOR (n:World) ON (n.project, n.lastActivityAt);
CREATE INDEX turn_run_enqueued IF NOT EXISTS FOR (n:TurnRun) ON (n.project, n.enqueuedAt);
