// The verdict of `turngraph stall` (policy sticky) on each world, from what its captures keep: `analyseStall` of
// src/rules/stall.ts, in Cypher. A test compares the two over many worlds.
//
// `turns` and `signatures` are those of the newest feedback turns since the last approval, six at most, newest first: an
// outcome is [turn, "decision", "signature", …]. Nothing was verified for the first time after the first turn of a window
// (`gain <= turns[n]`): the window is flat. An index behind the end gives null, and null holds for nothing.
// include analysis/_worlds
AND size(w.outcomes) >= 3
// Where the task declares what must hold, that alone is required, but for what a person looks at.
WITH f, task, w, size(coalesce(w.specifiedAfter, [])) AS version
CALL (task, version) {
  MATCH (task)-[:SPECIFIED_BY]->(s:Specification)-[l:LISTS]->(c:Criterion)
  WHERE s.version = version AND l.kind <> 'manual'
  RETURN collect(c.key) AS required
}
CALL (w, version, required) {
  MATCH (w)-[r:PROGRESS {state: 'verified'}]->(c:Criterion)
  WHERE version > 0 AND c.key IN required
  // The turn stands right behind the state. No label looks like that: JSON escapes its quotes.
  RETURN max(toInteger(split(split(r.kept, ',"verified",')[1], ',')[0])) AS requiredGain
}
WITH f, task, w, version, required, CASE WHEN version = 0 THEN w.lastGainTurn ELSE requiredGain END AS gained
WITH f, task, w, version, required, gained, reverse([o IN w.outcomes | o]) AS outcomes // Neo4j reverses no list that is a property
WITH f, task, w, version, required, gained, outcomes, [i IN range(0, size(outcomes) - 1) WHERE split(outcomes[i], '"')[1] = 'approved' | i] AS approvals
WITH f, task, w, version, required, gained, outcomes[0..coalesce(approvals[0], 6)] AS sinceApproval
WITH f, task, w, version, required, gained, sinceApproval[0..6] AS feedback
WITH f, task, w, version, required, gained, coalesce(gained, 0) AS gain,
     [o IN feedback | toInteger(substring(split(o, ',')[0], 1))] AS turns, [o IN feedback | split(o, '"')[3]] AS signatures
WHERE size(turns) >= 3
  AND (version > 0 OR gained IS NULL OR gain <= turns[3] OR w.contestedCount > 0) // else no verdict can hold
WITH f, task, w, version, required, turns,
     size([s IN signatures[0..3] WHERE s = signatures[0]]) = 3 AND gained IS NULL AS repeatsUnverified,
     size([s IN signatures[0..5] WHERE s = signatures[0]]) = 5 AND gain <= turns[4] AS repeatsLong,
     size([i IN range(0, size(turns) - 2) WHERE signatures[i] <> signatures[i + 1] AND signatures[i] IN signatures[i + 1..]]) >= 2
       AND gain <= last(turns) AS returns,
     gain <= turns[3] AS flat
CALL (w, version, required, turns) {
  // Whether the verdict on a criterion changes three times or more. Only one that was rejected twice, and stands verified.
  MATCH (w)-[r:PROGRESS {state: 'verified'}]->(c:Criterion)
  WHERE r.rejections > 1 AND (version = 0 OR c.key IN required)
  // The list of src/memory/criteria/rows.ts. A label may hold commas and quotes: values behind one are taken from the end.
  WITH turns, split(r.kept, ',') AS kept
  WITH turns, toInteger(kept[-6]) AS entries,
       // '1v2r-3u' to ['1v', '2', '3', '']: a judge's verdicts keep their letter.
       split(reduce(text = kept[-5], x IN [['"', ''], ['v-', ','], ['r-', ','], ['-', ''], ['p', ','], ['u', ','],
                    ['v', 'v,'], ['r', 'r,']] | replace(text, x[0], x[1])), ',') AS recent
  WITH turns, entries, recent,
       [n IN turns | last([x IN recent WHERE x IN [toString(n) + 'v', toString(n) + 'r'] | right(x, 1)])] AS perTurn
  WITH turns, entries, recent, [x IN perTurn WHERE x IS NOT NULL] AS verdicts
  WITH size([i IN range(1, size(verdicts) - 1) WHERE verdicts[i] <> verdicts[i - 1]]) >= 3 AS flips,
       // More entries than are kept, and not back to the first turn of the window.
       entries >= size(recent) AND toInteger(replace(replace(recent[0], 'v', ''), 'r', '')) >= last(turns) AS unsure
  RETURN count(CASE WHEN flips THEN 1 END) AS flipping, count(CASE WHEN unsure THEN 1 END) AS unsure
}
CALL (w, version, required) {
  MATCH (w)-[r:PROGRESS]->(c:Criterion)
  WHERE version = 0 OR c.key IN required
  // No label looks like a promise that is complete: JSON escapes its quotes.
  WITH version, r.state = 'verified' AS verified, split(r.kept, ',') AS kept, r.kept CONTAINS ',"complete","' AS complete
  WITH verified, version > 0 OR kept[3] <> 'null' AS judged, kept[3] = 'null' AND kept[15] <> 'null' AS promised,
       complete AND kept[-7] = 'null' AS spared
  RETURN count(CASE WHEN verified THEN 1 END) AS verified,
         count(CASE WHEN judged THEN 1 END) AS judged, count(CASE WHEN judged AND spared THEN 1 END) AS judgedSpared,
         count(CASE WHEN promised THEN 1 END) AS promised,
         count(CASE WHEN promised AND spared THEN 1 END) AS promisedSpared
}
WITH *, CASE WHEN version > 0 THEN size(required) ELSE judged END AS counted
WITH f, task, w, turns, verified, repeatsLong, repeatsUnverified, returns, flipping, flat, unsure, counted AS judged,
     judgedSpared, CASE WHEN version > 0 THEN 0 ELSE promised END AS promised,
     CASE WHEN version > 0 THEN 0 ELSE promisedSpared END AS promisedSpared
WITH f, task, w, turns, verified,
     CASE WHEN judged > 0 THEN judged ELSE promised END AS criteria,
     CASE WHEN judged > 0 THEN judgedSpared ELSE promisedSpared END AS spared,
     CASE WHEN repeatsLong AND (judged = 0 OR verified < judged) THEN ['stalled', 5]
          WHEN repeatsUnverified THEN ['stalled', 3]
          WHEN returns OR flipping > 0 THEN ['oscillating', size(turns)]
          WHEN flat AND unsure = 0 THEN ['plateau', 4]
          ELSE [null, 0] END AS stall
WITH f, task, w, turns[0..stall[1]] AS turns, verified, criteria, stall[0] AS verdict,
     stall[0] = 'stalled' AND (criteria = 0 OR spared < criteria) AS shouldStop
WHERE verdict IS NOT NULL
