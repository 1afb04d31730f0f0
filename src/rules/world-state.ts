/**
 * Declares the registry of a task and the state of a world, and the JSON text that each is stored as: lists without names, and no
 * text that a record holds. Pure. Equal values have equal texts.
 */
import * as z from 'zod'
import { causeLifeColumns } from './issue-lives.ts'
import { outcomeColumns } from './outcome.ts'
import { progressColumns } from './progress.ts'
import { proofFiles } from './stale.ts'
import { CRITERION_KINDS, columns, mapColumns, optionalNumber, optionalText } from './values.ts'

const registryColumns = columns({
  taskKey: z.string(),
  /** In the order in which they were named first. A state refers to a criterion by its place in this list. */
  criteria: z.array(
    columns({
      key: z.string(),
      texts: z.array(columns({ text: z.string(), source: z.string() })),
      aliases: z.array(columns({ label: z.string(), source: z.string() })),
      mergedInto: optionalText,
      worldKey: optionalText,
    }),
  ),
  /** Newest version of the criteria that the task declares. */
  specification: columns({
    version: z.number(),
    declaredAt: z.string(),
    declared: z
      .array(
        columns({
          label: z.string(),
          text: z.string(),
          kind: z.enum(CRITERION_KINDS),
          key: z.string(),
          /** Version that last changed the words. */
          rewordedIn: optionalNumber,
          /** Program and arguments; null if it declares none. */
          command: z.array(z.string()).readonly().nullish(),
          /** Names of tests that prove it; null if it declares none. */
          tests: z.array(z.string()).readonly().nullish(),
        }),
      )
      .readonly(),
    /** Criteria of earlier versions, each with the version that left it out. */
    retiredIn: mapColumns(z.string(), z.number()),
  }).nullable(),
})

/** The criteria of a task by which the entries of its records are resolved. */
export type Registry = z.output<typeof registryColumns>

export const encodeRegistry = (registry: Registry): string =>
  JSON.stringify(z.encode(registryColumns, registry))

export const decodeRegistry = (stored: string): Registry => registryColumns.parse(JSON.parse(stored))

const stateColumns = (place: z.ZodType<string, number>) =>
  columns({
    worldKey: z.string(),
    /** Number of the newest turn; 0: no turn. */
    turn: z.number(),
    digest: optionalText.describe('of the record of the newest turn'),
    turnCount: z.number(),
    /** Newest turn at the time of each version of the specification. */
    specifiedAfter: z.array(z.number()).readonly(),
    /** Criterion that each source means by a label. */
    labels: mapColumns(z.string(), place),
    /** Promises of the newest turn that has any. */
    promised: columns({
      turn: z.number(),
      digest: z.string(),
      promises: z.array(columns({ label: z.string(), criterionKey: place })),
    }).nullable(),
    progress: mapColumns(place, progressColumns),
    /** Ends of the newest judged turns, ascending. */
    outcomes: z.array(outcomeColumns),
    /** Causes of issues, in the order in which they were opened. */
    issues: z.array(causeLifeColumns),
    files: proofFiles(place),
  })

/** Facts that the turns of a world add up to. */
export type WorldState = z.output<ReturnType<typeof stateColumns>>

function columnsFor({ criteria }: Registry) {
  const places = new Map(criteria.map(({ key }, i) => [key, i]))
  const place = z.codec(z.number(), z.string(), {
    decode: (i) => criteria[i]?.key ?? '',
    encode: (key) => places.get(key) ?? -1,
  })
  return stateColumns(place)
}

export const encodeState = (registry: Registry, state: WorldState): string =>
  JSON.stringify(z.encode(columnsFor(registry), state))

export const decodeState = (registry: Registry, stored: string): WorldState =>
  columnsFor(registry).parse(JSON.parse(stored))
