// Turn runs. `activeWorldKey` stands on a run or an attempt only while it is active: the partial unique index of
// seed 001, so that no world ever has two. The `seqKey`s number the attempts of a world and of a run, without a gap
// or a repeat, and serve their pages.
CREATE CONSTRAINT turn_run_key IF NOT EXISTS FOR (n:TurnRun) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT turn_run_active_world IF NOT EXISTS FOR (n:TurnRun) REQUIRE n.activeWorldKey IS UNIQUE;
CREATE CONSTRAINT attempt_key IF NOT EXISTS FOR (n:Attempt) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT attempt_active_world IF NOT EXISTS FOR (n:Attempt) REQUIRE n.activeWorldKey IS UNIQUE;
CREATE CONSTRAINT attempt_world_seq IF NOT EXISTS FOR (n:Attempt) REQUIRE n.worldSeqKey IS UNIQUE;
CREATE CONSTRAINT attempt_run_seq IF NOT EXISTS FOR (n:Attempt) REQUIRE n.runSeqKey IS UNIQUE;
// What the search for expired leases goes through: the worlds where something is active.
CREATE INDEX world_leased IF NOT EXISTS FOR (n:World) ON (n.leased);
