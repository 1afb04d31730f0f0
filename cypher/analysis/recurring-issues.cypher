// question: Which issues recur in several sessions, and how were they resolved?
// Two issues are the same if category and description are equal except for line numbers, durations, counts
// and the like (`signature`; for issues stored before signatures existed, if their words are equal). Returns
// the number of sessions and turns that raised each issue, and the number of sessions in which it is gone.
// For the three of these that were active last, returns the first judged turn that no longer raised it, with
// the Player's summary.
// columns: category, issue, sessions, turns, gone, got_rid_of_it
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.currentTurn > 0
// The last judged turn of a session shows whether an issue is gone there. A search for the first turn without
// it, for each issue in each session, did not finish in 30 s on the embedded graph, with 20 issues in
// thousands of sessions.
WITH w, coalesce(w.judgedTurn, 0) AS lastJudged
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RAISED]->(i:Issue)
WITH w.key AS key, w.slug AS slug, w.lastActivityAt AS lastActivityAt, lastJudged, toLower(i.description) AS words,
     i.category AS category, max(i.signature) AS signature, min(i.description) AS description,
     collect(DISTINCT t.number) AS numbers
// An issue without a signature takes the signature of an issue with the same words.
WITH words, category, max(signature) AS signature,
     collect([description, numbers, lastJudged, lastActivityAt, slug, key]) AS raised
UNWIND raised AS x
UNWIND x[1] AS number
WITH x[5] AS key, x[4] AS slug, x[3] AS lastActivityAt, x[2] AS lastJudged,
     coalesce(signature, coalesce(category, '') + ' ' + words) AS signature, category,
     min(x[0]) AS issue, count(DISTINCT number) AS turns, max(number) AS last
WITH signature, category, min(issue) AS issue, count(key) AS sessions, sum(turns) AS turns,
     collect(CASE WHEN lastJudged > last THEN [lastActivityAt, slug, key, last] END) AS places
WHERE sessions > 1
WITH signature, category, issue, sessions, turns, places ORDER BY sessions DESC, turns DESC, issue, signature LIMIT $limit
CALL (places) {
  UNWIND places AS place
  WITH place ORDER BY place[0] DESC, place[1] LIMIT 3
  WITH place, place[0] AS lastActivityAt, place[1] AS slug, place[2] AS key, place[3] AS last
  MATCH (w:World {key: key})
  MATCH (w)-[:HAS_TURN]->(x:Turn)
  WHERE x.number > last AND x.coachDecision IN ['approved', 'feedback', 'rejected']
  WITH lastActivityAt, slug, x.number AS number, x.playerSummary AS summary ORDER BY number
  WITH lastActivityAt, slug, collect(slug + ' turn ' + toString(number) + ': ' + summary) AS judged
  WITH lastActivityAt, slug, judged[0] AS went ORDER BY lastActivityAt DESC, slug
  RETURN collect(went) AS went
}
RETURN category, issue, sessions, turns, size(places) AS gone, went AS got_rid_of_it
ORDER BY sessions DESC, turns DESC, issue, signature LIMIT $limit
