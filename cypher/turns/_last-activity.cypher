// A world was last active when its latest turn completed; a turn may not say when.
    w.lastActivityAt = CASE
      WHEN w.lastCompletedAt IS NULL OR w.lastCompletedAt < t.completedAt
        THEN coalesce(t.completedAt, w.lastActivityAt)
      ELSE w.lastActivityAt END,
    w.lastCompletedAt = CASE
      WHEN w.lastCompletedAt IS NULL OR w.lastCompletedAt < t.completedAt THEN t.completedAt
      ELSE w.lastCompletedAt END
