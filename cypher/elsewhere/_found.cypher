// The turns that a `topic` leads to, but for those of the session that asks (`own`): of each rule the first 5, those that share
// the most files, and of these the newest. Of an issue, the last turn of a session that raised it stands for all of them, and is
// followed by those that did not (the third column has the numbers of all: a turn may have come later than one of a higher
// number). A turn comes with those around it, as far as the rule asks for them. Each slot of a topic is found by its key and
// names 6 turns at most, so the cost does not grow with the project.
//
// No more of them than is told: on the embedded engine to hand over whole turns took longer than to find them. What is needed of
// an entry is taken apart for the few that are chosen: for all of them that was a third of the statement.
// params: $slots
UNWIND $slots AS slot
WITH topic, own, topic.key + '/' + toString(slot) AS key
MATCH (x:Topic {key: key})
UNWIND [e IN x.turns WHERE NOT e CONTAINS own] AS entry
WITH topic.rule AS rule,
     CASE topic.rule WHEN 'issue' THEN topic.name + ' ' + split(entry, '/')[1] ELSE entry END AS candidate,
     max(entry) AS entry, sum(topic.shares) AS shared, collect(entry) AS entries
ORDER BY shared DESC, entry DESC, candidate
WITH rule, collect([entry, candidate, entries]) AS ranked
UNWIND ranked[0..5] AS found
WITH rule, split(found[1], ' ')[0] AS name, found[2] AS entries, substring(found[0], 35) AS key
MATCH (o:Turn {key: key})<-[:HAS_TURN]-(s:World)
WITH rule, name, entries, o, s // beside a condition, Grafeo looks nothing up
WHERE s.deletedAt IS NULL
RETURN collect([rule, name, [e IN entries | toInteger(split(e, '/')[2])], s.slug, s.featureId, s.taskId, s.currentTurn,
         [o.number, o.completedAt, o.lessonsFromTurn, o.blockersFound, o.filesModified],
         [(o)-[:NEXT*1..3]->(n:Turn) WHERE rule = 'issue' AND n.outcome IS NOT NULL |
           [n.number, n.completedAt, n.playerSummary, n.filesModified]],
         [(o)<-[:NEXT*1..3]-(n:Turn) WHERE rule = 'feature' AND size(n.lessonsFromTurn) > 0 |
           [n.number, n.completedAt, n.lessonsFromTurn, n.filesModified]]]) AS known
