// A world as every statement about worlds returns it.
w {.slug, .project, .featureId, .taskId, .taskKey, .currentTurn, .executor, .leaseTtlMs, .activeRunId,
   .activeAttemptId, .createdAt, .deletedAt, .requestId, .stopWhen, .budgetMinutes, .budgetAttemptsFailedInARow,
   .budgetTokens, .backoffFirstMs, .backoffFactor, .backoffMostMs, .resume}
