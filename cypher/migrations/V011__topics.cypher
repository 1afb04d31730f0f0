// What turns are about, so that other sessions of their project find them (src/memory/elsewhere/topics.ts has the rules): of each
// file, failed gate, complaint and feature the newest 6 turns, in 2 slots by the slug of their session. It counts as captures
// do, but for paths that were stored in another spelling than a project's own. For a few worlds at a time, which may be repeated.
CREATE CONSTRAINT topic_key IF NOT EXISTS FOR (n:Topic) REQUIRE n.key IS UNIQUE;
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WITH w, t, size(t.lessonsFromTurn) + size(t.blockersFound) > 0 AS hasLessons, replace(toString(t.completedAt), 'Z', '') AS at,
     reduce(sum = 0, i IN range(0, size(w.slug) - 1) |
       sum + size(split('0123456789abcdefghijklmnopqrstuvwxyz', substring(w.slug, i, 1))[0]) % 36) % 2 AS slot
WITH w, t, slot,
     coalesce(left(at + substring(':00.000000', size(at) - 16), 26), '                          ')
       + ' ' + substring('0000000', size(toString(t.number))) + toString(t.number) + ' ' + t.key AS entry,
     [f IN CASE WHEN hasLessons THEN t.filesModified ELSE [] END WHERE NOT f STARTS WITH '/' |
       'file:' + CASE WHEN f STARTS WITH './' THEN substring(f, 2) ELSE f END] AS files,
     [(t)-[:PASSED_THROUGH]->(g:Gate) WHERE hasLessons AND g.status = 'failed' | 'gate:' + g.name] AS gates,
     [(t)-[:RAISED]->(i:Issue) WHERE i.signature IS NOT NULL | 'issue:' + i.signature] AS issues
WITH w, t, slot, entry,
     [name IN files[0..50] + gates + issues WHERE size(name) <= 1000 | replace(replace(name, '%', '%25'), '/', '%2F')] +
     CASE WHEN t.coachDecision = 'approved' THEN ['feature:' + split(w.taskKey, '/')[1]] ELSE [] END AS names
UNWIND names AS name
WITH DISTINCT split(w.key, '/')[0] + '/' + name + '/' + toString(slot) AS key, entry
WITH key, collect(entry) AS entries
MERGE (x:Topic {key: key})
SET x.rev = 'V011'
WITH key, entries + [e IN coalesce(x.turns, []) WHERE NOT e IN entries] AS entries
UNWIND entries AS entry
WITH key, entry
ORDER BY entry DESC
WITH key, collect(entry) AS turns
MERGE (x:Topic {key: key})
SET x.turns = turns[0..6]
RETURN count(*) AS topics;
