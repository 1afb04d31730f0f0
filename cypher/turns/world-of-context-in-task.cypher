// The world that a context is asked of, where it has no turn below the coming one. No row: there is no such world.
// include turns/_newest-world
RETURN w.slug AS worldSlug, w.deletedAt IS NOT NULL AS deleted
