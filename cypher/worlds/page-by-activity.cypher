// A page of worlds in the order of their last activity, newest first, with how far each has come: those that were last active
// before an instant, or at it and whose slugs are higher.
// params: $before $after $limit
// include worlds/_in-scope
WITH w, coalesce(w.lastCompletedAt, w.createdAt) AS at
WHERE at < datetime($before) OR (at = datetime($before) AND w.slug > $after)
WITH w, at ORDER BY at DESC, w.slug LIMIT $limit
// include worlds/_progress
ORDER BY lastActivity DESC, shown.slug
