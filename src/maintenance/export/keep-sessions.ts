import type { RecordOf } from './records.ts'

/** Removes the references of a transcript turn to other sessions than the given ones. */
export const keepSessions = (
  turn: RecordOf<'transcript_turn'>,
  sessions: ReadonlySet<string>,
): RecordOf<'transcript_turn'> => ({
  ...turn,
  heldBy: turn.heldBy.filter(({ session }) => sessions.has(session)),
  steps: turn.steps.map(({ started = [], ...step }) => {
    const left = started.filter((session) => sessions.has(session))
    return left.length === 0 ? step : { ...step, started: left }
  }),
})
