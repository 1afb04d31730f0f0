import type { RecordOf } from './records.ts'

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
