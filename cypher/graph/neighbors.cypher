// A node by the engine's own id, with its relationships in either direction. Analysts run it like their own
// queries (src/analysis/query): outside of the service, and on a copy of the embedded graph. A query returns
// an id of the embedded engine without the prefix 'n:' that elementId gives it.
// params: $nodeId
MATCH (n) WHERE elementId(n) IN [$nodeId, 'n:' + $nodeId]
OPTIONAL MATCH (n)-[r]-(other)
RETURN n AS node, r AS relationship, other AS neighbor, type(r) AS type, elementId(r) AS relationshipId
ORDER BY type, relationshipId
