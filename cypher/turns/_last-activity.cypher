// A world was last active at the completion of its latest turn. A turn may lack its completion time.
    w.lastActivityAt = CASE
      WHEN w.lastCompletedAt IS NULL OR w.lastCompletedAt < t.completedAt
        THEN coalesce(t.completedAt, w.lastActivityAt)
      ELSE w.lastActivityAt END,
    w.lastCompletedAt = CASE
      WHEN w.lastCompletedAt IS NULL OR w.lastCompletedAt < t.completedAt THEN t.completedAt
      ELSE w.lastCompletedAt END
