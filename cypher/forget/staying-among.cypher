// params: $worldKeys
UNWIND $worldKeys AS key
MATCH (w:World {key: key})
// include forget/_staying
RETURN count(w) AS staying
