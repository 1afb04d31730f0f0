RETURN t {.id, .kind, .status, .begunMs, .durationMs, .length, .tools, .pattern, .errors, .parallelSteps} AS turn
