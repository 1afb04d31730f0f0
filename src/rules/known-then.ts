/**
 * Finds the records that each earlier turn had before the capture of a turn (contract: truth.md, "A context shown later is
 * labeled"). Pure.
 */

/** A record of a turn: the current one or one that was replaced. */
export type RecordOfTurn = { number: number; revision: number; createdAt: string }

const instantOf = ({ createdAt }: RecordOfTurn): number => Date.parse(createdAt)

/**
 * The instant at which a turn was captured first. Without a capture of that turn, the first capture of a later one; infinity:
 * neither has happened.
 *
 * @param records of one session
 */
export function findCaptureInstant(records: readonly RecordOfTurn[], turn: number): number {
  const own = records.filter(({ number }) => number === turn)
  const chosen = own.length > 0 ? own : records.filter(({ number }) => number > turn)
  return chosen.map(instantOf).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

export const isKnownAt =
  (instant: number) =>
  (record: RecordOfTurn): boolean =>
    instantOf(record) <= instant

/** The newest record of each turn below one, ascending. */
export function newestRecords<R extends RecordOfTurn>(records: readonly R[], below: number): R[] {
  const newest = new Map<number, R>()
  for (const record of records) {
    const other = newest.get(record.number)
    if (record.number < below && (other === undefined || other.revision < record.revision))
      newest.set(record.number, record)
  }
  return [...newest.values()].sort((a, b) => a.number - b.number)
}
