// A reader that comes back is told what changed in its project: Neo4j finds that in one index. Grafeo indexes each property by itself,
// and a transcript's file had none of its project.
CREATE INDEX world_changed_in_project IF NOT EXISTS FOR (n:World) ON (n.project, n.changedIn);
CREATE INDEX turn_run_changed_in_project IF NOT EXISTS FOR (n:TurnRun) ON (n.project, n.changedIn);
CREATE INDEX transcript_file_changed_in_project IF NOT EXISTS FOR (n:TranscriptFile) ON (n.project, n.changedIn);
