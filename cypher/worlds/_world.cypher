// A world as every statement about worlds returns it.
RETURN w {.slug, .project, .featureId, .taskId, .taskKey, .currentTurn, .executor, .leaseTtlMs, .activeRunId,
          .activeAttemptId, .createdAt, .deletedAt, .requestId} AS world
