// What a task declares must hold, in versions. Graphs that were written before have none: nothing is to be derived.
CREATE CONSTRAINT specification_key IF NOT EXISTS FOR (n:Specification) REQUIRE n.key IS UNIQUE;
