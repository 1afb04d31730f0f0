// The newest turn below the coming one. The key is built from the world's counter; no row means a gap (or no turn at
// all), and `turns/context-as-of-…` finds the turn.
// params: $turnNumber
WITH w, w.key + '/' + toString(CASE WHEN w.currentTurn < $turnNumber THEN w.currentTurn ELSE $turnNumber - 1 END) AS key
MATCH (t:Turn {key: key})
WITH w, t, coalesce(w.promisedTurn, t.number) AS promisedIn,
     CASE WHEN t.coachDecision = 'error' AND size(w.outcomes) > 0
       THEN toInteger(split(substring(w.outcomes[size(w.outcomes) - 1], 1), ',')[0])
       ELSE t.number END AS judgedIn
