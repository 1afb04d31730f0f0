// How often the past of a world was rewritten: by a turn that came late, or one that took the place of another.
// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN w.rewrites AS rewrites
