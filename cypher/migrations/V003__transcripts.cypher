// Transcripts. Steps are reached through their turn alone, so they have no key: a constraint on a million of them
// would cost more than all reports. `paths` looks at the failed ones, which carry a label of their own.
CREATE CONSTRAINT transcript_file_key IF NOT EXISTS FOR (n:TranscriptFile) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT transcript_session_key IF NOT EXISTS FOR (n:TranscriptSession) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT transcript_turn_key IF NOT EXISTS FOR (n:TranscriptTurn) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT tool_key IF NOT EXISTS FOR (n:Tool) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT turn_pattern_key IF NOT EXISTS FOR (n:TurnPattern) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT desire_key IF NOT EXISTS FOR (n:Desire) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT tool_use_key IF NOT EXISTS FOR (n:ToolUse) REQUIRE n.key IS UNIQUE;
CREATE INDEX transcript_turn_project IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.project);
CREATE INDEX turn_pattern_project IF NOT EXISTS FOR (n:TurnPattern) ON (n.project);
CREATE INDEX tool_use_project IF NOT EXISTS FOR (n:ToolUse) ON (n.project);
// Neo4j answers reports from these indexes alone, or almost so; no index holds a node that lacks one of its properties.
// Grafeo indexes each property by itself.
CREATE INDEX transcript_turn_length IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.project, n.length, n.index);
CREATE INDEX transcript_turn_pattern IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.project, n.patternKey, n.length, n.sessionId, n.begunMs);
CREATE INDEX transcript_turn_seen IF NOT EXISTS FOR (n:TranscriptTurn) ON (n.patternKey, n.sessionId, n.begunMs);
CREATE INDEX failed_step_failure IF NOT EXISTS FOR (n:FailedStep) ON (n.project, n.failure, n.sessionId, n.begunMs);
