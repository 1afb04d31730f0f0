// Creates the whole schema. Each looked-up node has one synthetic key, unique by constraint: a composite constraint would
// exempt nodes that lack a part, and a single key does not. Grafeo has one index per property, so an embedded graph has
// only the first property of each index over several. Neo4j creates all of this in one transaction.

// Turns and criteria.
CREATE CONSTRAINT project_key IF NOT EXISTS FOR (n:Project) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT feature_key IF NOT EXISTS FOR (n:Feature) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT task_key IF NOT EXISTS FOR (n:Task) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT world_key IF NOT EXISTS FOR (n:World) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT turn_key IF NOT EXISTS FOR (n:Turn) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT superseded_turn_key IF NOT EXISTS FOR (n:SupersededTurn) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT criterion_key IF NOT EXISTS FOR (n:Criterion) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT specification_key IF NOT EXISTS FOR (n:Specification) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT file_key IF NOT EXISTS FOR (n:File) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT agent_key IF NOT EXISTS FOR (n:Agent) REQUIRE n.key IS UNIQUE;
// A capture that creates a world checks whether other features have its task.
CREATE INDEX task_id IF NOT EXISTS FOR (n:Task) ON (n.id);
// A context finds related sessions by their issues and gates, and by files (file_key).
CREATE INDEX issue_signature IF NOT EXISTS FOR (n:Issue) ON (n.signature);
CREATE INDEX gate_name IF NOT EXISTS FOR (n:Gate) ON (n.name);
// Neo4j reads a page of a project's worlds in the order of an index. Grafeo finds the worlds of the project and sorts them.
CREATE INDEX world_slug IF NOT EXISTS FOR (n:World) ON (n.project, n.slug);
CREATE INDEX world_activity IF NOT EXISTS FOR (n:World) ON (n.project, n.lastActivityAt);

// Turn runs. A run or an attempt has `activeWorldKey` only while it is active: the partial unique index of seed 001, so
// that no world ever has two. The `seqKey`s number the attempts of a world and of a run, without a gap or a repeat, and
// order their pages.
CREATE CONSTRAINT turn_run_key IF NOT EXISTS FOR (n:TurnRun) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT turn_run_active_world IF NOT EXISTS FOR (n:TurnRun) REQUIRE n.activeWorldKey IS UNIQUE;
CREATE CONSTRAINT attempt_key IF NOT EXISTS FOR (n:Attempt) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT attempt_active_world IF NOT EXISTS FOR (n:Attempt) REQUIRE n.activeWorldKey IS UNIQUE;
CREATE CONSTRAINT attempt_world_seq IF NOT EXISTS FOR (n:Attempt) REQUIRE n.worldSeqKey IS UNIQUE;
CREATE CONSTRAINT attempt_run_seq IF NOT EXISTS FOR (n:Attempt) REQUIRE n.runSeqKey IS UNIQUE;
CREATE INDEX turn_run_enqueued IF NOT EXISTS FOR (n:TurnRun) ON (n.project, n.enqueuedAt);
// The search for expired leases reads the worlds with an active run or attempt.
CREATE INDEX world_leased IF NOT EXISTS FOR (n:World) ON (n.leased);

// Transcripts. A failed call is only reached through its turn or by its failure, so it has no key.
CREATE CONSTRAINT transcript_file_key IF NOT EXISTS FOR (n:TranscriptFile) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT transcript_session_key IF NOT EXISTS FOR (n:TranscriptSession) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT transcript_turn_key IF NOT EXISTS FOR (n:TranscriptTurn) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT tool_key IF NOT EXISTS FOR (n:Tool) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT turn_pattern_key IF NOT EXISTS FOR (n:TurnPattern) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT desire_key IF NOT EXISTS FOR (n:Desire) REQUIRE n.key IS UNIQUE;
CREATE INDEX transcript_turn_project IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.project);
CREATE INDEX turn_pattern_project IF NOT EXISTS FOR (n:TurnPattern) ON (n.project);
// A capture finds the transcripts of agents that ran in a worktree of its task (turns/_transcribed).
CREATE INDEX transcript_session_worktree IF NOT EXISTS FOR (n:TranscriptSession) ON (n.worktreeKey);
// Neo4j answers reports from these indexes with few other reads. An index omits each node that lacks one of its properties.
CREATE INDEX transcript_turn_length IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.project, n.length, n.index);
CREATE INDEX transcript_turn_pattern IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.project, n.patternKey, n.length, n.sessionId, n.begunMs);
CREATE INDEX transcript_turn_seen IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.patternKey, n.sessionId, n.begunMs);
CREATE INDEX failed_call_failure IF NOT EXISTS FOR (n:FailedCall) ON (n.project, n.failure, n.sessionId, n.begunMs);

// Events read the changes of a minute, in the whole graph or in one project.
CREATE INDEX world_changed IF NOT EXISTS FOR (n:World) ON (n.changedIn);
CREATE INDEX turn_run_changed IF NOT EXISTS FOR (n:TurnRun) ON (n.changedIn);
CREATE INDEX transcript_file_changed IF NOT EXISTS FOR (n:TranscriptFile) ON (n.changedIn);
CREATE INDEX world_changed_in_project IF NOT EXISTS FOR (n:World) ON (n.project, n.changedIn);
CREATE INDEX turn_run_changed_in_project IF NOT EXISTS FOR (n:TurnRun) ON (n.project, n.changedIn);
CREATE INDEX transcript_file_changed_in_project IF NOT EXISTS FOR (n:TranscriptFile) ON (n.project, n.changedIn);
