// The files and failed gates that a turn is about, 20 of each: by them a context that follows it looks for other sessions
// (listTopicNames in src/memory/elsewhere/topics.ts). Paths that were stored in another spelling than a project's own are left
// out. A deleted session is found no more. For a few worlds at a time, which may be repeated.
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.topics IS NULL
WITH t,
     [f IN t.filesModified WHERE NOT f STARTS WITH '/' AND size(f) <= 1000 |
       'file:' + CASE WHEN f STARTS WITH './' THEN substring(f, 2) ELSE f END] AS files,
     [(t)-[:PASSED_THROUGH]->(g:Gate) WHERE g.status = 'failed' AND size(g.name) <= 1000 | 'gate:' + g.name] AS gates
WITH t, [i IN range(0, size(files) - 1) WHERE NOT files[i] IN files[0..i] | files[i]] AS files, gates
SET t.topics = [name IN files[0..20] + gates[0..20] | replace(replace(name, '%', '%25'), '/', '%2F')]
RETURN count(t) AS turns;
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WHERE w.deletedAt IS NOT NULL
WITH ' ' + w.key + '/' AS own, split(w.key, '/')[0] AS project,
     t.topics + [(t)-[:RAISED]->(i:Issue) WHERE i.signature IS NOT NULL | 'issue:' + i.signature]
       + ['feature:' + split(w.taskKey, '/')[1]] AS names
UNWIND names AS name
UNWIND ['/0', '/1'] AS slot
WITH DISTINCT own, project + '/' + name + slot AS key
MATCH (x:Topic {key: key})
SET x.rev = 'V012'
SET x.turns = [e IN x.turns WHERE NOT e CONTAINS own]
RETURN count(x) AS topics;
