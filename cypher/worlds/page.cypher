// A page of worlds in the order of their slugs, with how far each has come.
// params: $after $limit
// include worlds/_in-scope
  AND ($after IS NULL OR w.slug > $after)
WITH w ORDER BY w.slug LIMIT $limit
// include worlds/_progress
ORDER BY shown.slug
