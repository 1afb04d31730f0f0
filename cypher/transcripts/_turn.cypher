RETURN t {.id, .kind, .status, .startedMs, .durationMs, .length, .tools, .pattern, .errors, .parallelSteps} AS turn
