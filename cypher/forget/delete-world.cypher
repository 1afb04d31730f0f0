// Deletes a world that owns no nodes anymore.
// params: $worldKey
MATCH (w:World {key: $worldKey})
DETACH DELETE w
RETURN count(*) AS gone
