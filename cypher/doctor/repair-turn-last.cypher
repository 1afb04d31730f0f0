// The newest turn leads nowhere.
// params: $key
MATCH (t:Turn {key: $key})
CALL (t) { MATCH (t)-[r:NEXT]->() DELETE r }
RETURN t.key AS key
