// Other sessions are found by the files of their turns, by the signatures of issues and by the names of gates (elsewhere/related).
// Earlier versions kept a list of turns per topic instead. Files come from the topics that each turn stored. For a few worlds at a
// time, which may be repeated; each part deletes a limited number of topics, and the last command deletes the rest.
CREATE CONSTRAINT file_key IF NOT EXISTS FOR (n:File) REQUIRE n.key IS UNIQUE;
CREATE INDEX issue_signature IF NOT EXISTS FOR (n:Issue) ON (n.signature);
CREATE INDEX gate_name IF NOT EXISTS FOR (n:Gate) ON (n.name);
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WITH t, split(w.key, '/')[0] + '/' AS project,
     [name IN coalesce(t.topics, []) WHERE name STARTS WITH 'file:' | substring(name, 5)] AS files
UNWIND files AS file
WITH t, file, project + file AS key
ORDER BY key
MERGE (f:File {key: key})
SET f.path = replace(replace(file, '%2F', '/'), '%25', '%')
MERGE (t)-[:TOUCHED]->(f)
RETURN count(*) AS links;
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.topics IS NOT NULL
REMOVE t.topics
RETURN count(*) AS turns;
UNWIND $worldKeys AS worldKey
WITH count(worldKey) AS worlds
MATCH (x:Topic)
WITH x
LIMIT 5000
DETACH DELETE x
RETURN count(*) AS topics;
MATCH (x:Topic)
DETACH DELETE x
RETURN count(*) AS topics;
