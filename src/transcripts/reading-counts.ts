/** Counts everything in a transcript that is not a plain record (contract: transcripts.md, "Reading"). */
import * as z from 'zod'

export type Counted = Record<string, number>

/** Counts names. Their number is limited, because other programs choose them. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, times = 1): void {
    const shortened = name.slice(0, MAX_NAME_LENGTH)
    const before = this.#counts.get(shortened)
    if (before === undefined && this.#counts.size >= MAX_NAMES) return
    this.#counts.set(shortened, (before ?? 0) + times)
  }

  addAll(others: Counted): void {
    for (const [name, times] of Object.entries(others)) this.add(name, times)
  }

  counted(): Counted {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

const MAX_NAMES = 200
const MAX_NAME_LENGTH = 80

const counted = z.record(z.string(), z.number())

export const readingFigures = z.object({
  badLines: z.number().describe('in the newly read bytes, like all fields below'),
  recoveredLines: z.number().describe('lines that held several objects'),
  redactions: z.number().describe('number of secrets masked in messages, names and paths'),
  unknown: counted.describe('record types that this version does not know'),
  unknownSubtypes: counted,
  unknownFields: counted,
})
export type ReadingFigures = z.output<typeof readingFigures>

export class ReadingCounts {
  badLines = 0
  recoveredLines = 0
  redactions = 0
  readonly unknown = new Tally()
  readonly unknownSubtypes = new Tally()
  /** `type.field`, at the top level of a record. */
  readonly unknownFields = new Tally()

  add(read: ReadingFigures): void {
    this.badLines += read.badLines
    this.recoveredLines += read.recoveredLines
    this.redactions += read.redactions
    this.unknown.addAll(read.unknown)
    this.unknownSubtypes.addAll(read.unknownSubtypes)
    this.unknownFields.addAll(read.unknownFields)
  }

  figures(): ReadingFigures {
    const { badLines, recoveredLines, redactions } = this
    return {
      badLines,
      recoveredLines,
      redactions,
      unknown: this.unknown.counted(),
      unknownSubtypes: this.unknownSubtypes.counted(),
      unknownFields: this.unknownFields.counted(),
    }
  }
}
