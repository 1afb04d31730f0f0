// The files and failed gates that a turn is about, 50 of each: by them a context that follows it looks for other sessions
// (listTopicNames in src/memory/elsewhere/topics.ts), but for the rarest spellings of paths. A deleted session is found no more. For a
// few worlds at a time, which may be repeated.
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.topics IS NULL
WITH t, [f IN t.filesModified | CASE
       WHEN f CONTAINS '/worktrees/'
         THEN substring(last(split(f, '/worktrees/')), size(split(last(split(f, '/worktrees/')), '/')[0]) + 1)
       WHEN f STARTS WITH './' THEN substring(f, 2)
       ELSE f END] AS paths
WITH t,
     [path IN paths WHERE NOT path STARTS WITH '/' AND size(path) <= 1000 | 'file:' + path] AS files,
     [(t)-[:PASSED_THROUGH]->(g:Gate) WHERE g.status = 'failed' AND size(g.name) <= 1000 | 'gate:' + g.name] AS gates
WITH t, [i IN range(0, size(files) - 1) WHERE NOT files[i] IN files[0..i] | files[i]] AS files, gates
SET t.topics = [name IN files[0..50] + gates[0..50] | replace(replace(name, '%', '%25'), '/', '%2F')]
RETURN count(t) AS turns;
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WHERE w.deletedAt IS NOT NULL AND NOT coalesce(w.restoring, false)
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
