// Declares what an operation is, what a call brings with it, and the fields that operations share.
import * as z from 'zod'
import type { Queries } from '../analysis/query/queries.ts'
import { LIMITS, name, project, wholeNumber } from '../core/fields.ts'
import { showMarksIn } from '../core/scrub/scrub.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Graph } from '../graph/port.ts'
import { withNearNames } from '../memory/worlds/resolve-target.ts'
import type { TurnRuns } from '../runs/turn-runs.ts'

/** One thing that Turngraph can do. Names and shapes are camelCase; the wire forms derive from the schemas (core/wire-form.ts). */
export type Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = {
  summary: string
  /** What a token must be allowed to do. */
  scope: Scope
  /** It cannot be confined to a project: a token of one project may not ask it. */
  wholeGraph?: boolean
  /** Its records are restored as they are: marks of secrets keep all digits. */
  showsWholeMarks?: boolean
  /** Each of its records may be of a mebibyte: calls of a service take turns. */
  largeRecords?: boolean
  input: I
  output: O
  /** Written as a method: so an operation of the table, found by a name, is an `Operation` without a cast. */
  run(graph: Graph, input: z.output<I> & { project: string }, call: Call): Promise<z.output<O>>
}

export const SCOPES = ['read', 'write', 'analyst', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Whether what needs this scope writes nothing, so that any member of a cluster may answer it. */
export const onlyReads = (scope: Scope): boolean => scope === 'read' || scope === 'analyst'

/** What an edge knows of a call beside its input. */
export type Call = {
  /** The header `Idempotency-Key`: a repeat answers the same. */
  idempotencyKey?: string | null
  /** The one project that the caller's token reaches; null or absent: all of them. */
  onlyProject?: string | null
  /** Who calls, and what the caller's token may do; absent where no token stands between. */
  caller?: { name: string; tokenName: string | null; scopes: readonly Scope[] }
  /** Who runs turns in this process. */
  runs: TurnRuns
  /** Feed of the changes in the graph. */
  feed: ChangeFeed
  /** How many may read it at once; absent: as many as there are. */
  mostReaders?: number | undefined
  /** Runs anybody's Cypher beside this process. */
  queries: Queries
  /** Turns of transcripts with more calls are long. */
  turnLengthThreshold: number
  /** Folders from which the service itself may import. */
  importRoots: readonly string[]
  /** Aborted where the caller gives up: a query of an analyst ends then, whatever it has found. */
  signal?: AbortSignal | undefined
  /** Takes what an operator should know of, at INFO. */
  log?: ((message: string, fields?: Record<string, unknown>) => void) | undefined
}

export const worldSlug = name
/** In a query the bare name says yes. */
export const flag = z
  .preprocess(
    (given) => (given === '' ? true : given),
    z.union([z.stringbool(), z.boolean()], 'must be true or false'),
  )
  .default(false)
export const turnNumber = wholeNumber(1, LIMITS.turnNumber)
/** A task, and the world of it; `resolveTarget` finds the task of a world that stands alone. */
export const target = {
  project,
  featureId: name.nullish().describe('default: that of the world'),
  taskId: name.nullish().describe('default: that of the world'),
  worldSlug: name.nullish().describe('default: the newest world of the task'),
}
export const asOf = wholeNumber(0, LIMITS.turnNumber)
  .nullish()
  .describe('as of this turn, inclusive; default: the newest')
/** Whatever is not there, the error names what is near to it. An answer shows two digits of each mark of a secret. */
export const operation = <I extends z.ZodObject, O extends z.ZodType>(
  definition: Operation<I, O>,
): Operation<I, O> => ({
  ...definition,
  run: async (graph, input, call) => {
    try {
      const answer = await definition.run(graph, input, call)
      return definition.showsWholeMarks ? answer : showMarksIn(answer)
    } catch (error) {
      throw await withNearNames(graph, input, error)
    }
  },
})
