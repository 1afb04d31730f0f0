// Finds the turns of a `topic`, except those of the asking session (`own`): for each rule the first 5, by the
// number of shared files, then newest first. For an issue, the last turn of a session that raised it
// represents all of them, and is followed by turns that did not raise it (the third column has the numbers of
// all: a turn may have arrived later than one with a higher number). Each turn comes with the turns around
// it, as far as the rule needs them. Each slot of a topic is found by its key and names at most 6 turns, so
// the cost does not grow with the project.
//
// Returns only the properties that are shown: on the embedded engine, returning whole turns took longer than
// finding them. Entries are parsed only for the few chosen ones: parsing all of them took a third of the
// statement.
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
WITH rule, name, entries, o, s // Grafeo uses no index if the MATCH has a further condition
WHERE s.deletedAt IS NULL
RETURN collect([rule, name, [e IN entries | toInteger(split(e, '/')[2])], s.slug, s.featureId, s.taskId, s.currentTurn,
         [o.number, o.completedAt, o.lessonsFromTurn, o.blockersFound, o.filesModified],
         [(o)-[:NEXT*1..3]->(n:Turn) WHERE rule = 'issue' AND n.outcome IS NOT NULL |
           [n.number, n.completedAt, n.playerSummary, n.filesModified]],
         [(o)<-[:NEXT*1..3]-(n:Turn) WHERE rule = 'feature' AND size(n.lessonsFromTurn) > 0 |
           [n.number, n.completedAt, n.lessonsFromTurn, n.filesModified]]]) AS known
