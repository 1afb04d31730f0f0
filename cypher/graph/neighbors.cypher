// A node by the engine's own id, and what it is related to in either direction. Analysts run it as they run their own queries
// (src/analysis/query): beside the service, and on a copy of the embedded graph.
// A query answers an id of the embedded engine without the 'n:' that stands before it in elementId.
// params: $nodeId
MATCH (n) WHERE elementId(n) IN [$nodeId, 'n:' + $nodeId]
OPTIONAL MATCH (n)-[r]-(other)
RETURN n AS node, r AS relationship, other AS neighbor, type(r) AS type, elementId(r) AS relationshipId
ORDER BY type, relationshipId
