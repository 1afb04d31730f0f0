// A page of worlds with how far each has come, in the order of their slugs, or of their last activity, newest first.
// params: $limit
// include worlds/_in-scope
// when by-slug
// params: $after
  AND ($after IS NULL OR w.slug > $after)
WITH w ORDER BY w.slug LIMIT $limit
// when by-activity
// Those that were last active before an instant, or at it and whose slugs are higher.
// params: $before $after
WITH w, coalesce(w.lastCompletedAt, w.createdAt) AS at
WHERE at < datetime($before) OR (at = datetime($before) AND w.slug > $after)
WITH w, at ORDER BY at DESC, w.slug LIMIT $limit
// end
// include worlds/_progress
// when by-slug
ORDER BY shown.slug
// when by-activity
ORDER BY lastActivity DESC, shown.slug
// end
