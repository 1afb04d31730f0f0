// include analysis/_worlds
AND size(w.outcomes) >= 3
WITH w, size(w.outcomes) AS kept
WHERE size([o IN w.outcomes[kept - 3..kept] WHERE split(o, '"')[1] = 'approved']) = 0
