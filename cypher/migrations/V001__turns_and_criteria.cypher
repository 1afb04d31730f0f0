// The memory of turns: one synthetic key per looked-up node, unique by constraint.
// A composite constraint would exempt nodes that lack a part; one key does not.
CREATE CONSTRAINT project_key IF NOT EXISTS FOR (n:Project) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT feature_key IF NOT EXISTS FOR (n:Feature) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT task_key IF NOT EXISTS FOR (n:Task) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT world_key IF NOT EXISTS FOR (n:World) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT turn_key IF NOT EXISTS FOR (n:Turn) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT superseded_turn_key IF NOT EXISTS FOR (n:SupersededTurn) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT criterion_key IF NOT EXISTS FOR (n:Criterion) REQUIRE n.key IS UNIQUE;
