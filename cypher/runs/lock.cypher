// Locks a world and returns all data for a decision about its runs and attempts: the active ones, by the key
// that only active ones have, and those that the caller names.
//
// `rev` takes a constant, so the World's write lock is held before anything is read. Runs and attempts change
// only under that lock, so the result stays valid until this transaction ends. `now` is the database's clock:
// the clocks of services differ. $skew is 0 outside tests.
// params: $worldKey $runKey $attemptKey $token $skew
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
OPTIONAL MATCH (run:TurnRun {activeWorldKey: $worldKey})
OPTIONAL MATCH (attempt:Attempt {activeWorldKey: $worldKey})
OPTIONAL MATCH (askedRun:TurnRun {key: $runKey})
OPTIONAL MATCH (askedAttempt:Attempt {key: $attemptKey})
RETURN w {.project, .slug, .currentTurn, .deletedAt, .executor, .leaseTtlMs, .resume, .fence, .attemptCount, .stopWhen,
          .budgetMinutes, .budgetAttemptsFailedInARow, .budgetTokens, .backoffFirstMs, .backoffFactor, .backoffMostMs} AS world,
       properties(run) AS run, properties(attempt) AS attempt,
       properties(askedRun) AS askedRun, properties(askedAttempt) AS askedAttempt,
       timestamp() + $skew AS now
