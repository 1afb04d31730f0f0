// Events look for what changed by the minute. What was written before has none: it has not changed since.
CREATE INDEX world_changed IF NOT EXISTS FOR (n:World) ON (n.changedIn);
CREATE INDEX turn_run_changed IF NOT EXISTS FOR (n:TurnRun) ON (n.changedIn);
CREATE INDEX transcript_file_changed IF NOT EXISTS FOR (n:TranscriptFile) ON (n.changedIn);
