// Declares the types of operations and calls, and fields that operations share.
import * as z from 'zod'
import type { Queries } from '../analysis/query/queries.ts'
import { LIMITS, name, project, wholeNumber } from '../core/fields.ts'
import { showMarksIn } from '../core/scrub/scrub.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Graph } from '../graph/port.ts'
import { withNearNames } from '../memory/worlds/resolve-target.ts'
import type { TurnRuns } from '../runs/turn-runs.ts'
import type { SearchIndexes } from '../search/search.ts'

/** Operation of Turngraph. Names and fields are camelCase; core/wire-form.ts derives the wire form from the schemas. */
export type Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = {
  summary: string
  /** Scope that a token needs, unless it has one of the roles. */
  scope: Scope
  roles?: readonly RoleScope[]
  /** True if a token that may call it only by `play` must ask for the role `player`. */
  readsAsPlayer?: true
  /** True if the operation covers all projects: a token of one project may not call it. */
  wholeGraph?: boolean
  /** True if answers keep all digits of the marks of secrets, because the records are restored unchanged. */
  showsWholeMarks?: boolean
  /** True if each record may have a mebibyte: a service then queues the calls. */
  largeRecords?: boolean
  input: I
  output: O
  /** Method syntax makes an operation that is found by name assignable to `Operation` without a cast. */
  run(graph: Graph, input: z.output<I> & { project: string }, call: Call): Promise<z.output<O>>
}

/** Scopes of the roles of a session: its Player, its Coach, and a program or person that adds what it observed. */
export const ROLE_SCOPES = ['play', 'judge', 'observe'] as const
export type RoleScope = (typeof ROLE_SCOPES)[number]

/** Roles that add observations after the turn: those of CI, a late validator or a person. */
export const OBSERVERS: readonly RoleScope[] = ['judge', 'observe']

/** Scopes of a token. `write` includes what the roles may write, and `admin` includes all scopes. */
export const SCOPES = ['read', 'write', ...ROLE_SCOPES, 'analyst', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** True if operations of this scope write nothing, so that any member of a cluster may answer them. */
export const onlyReads = (scope: Scope): boolean => scope === 'read' || scope === 'analyst'

/** Context of a call that a door adds to the input. */
export type Call = {
  /** Header `Idempotency-Key`: a repeated call has the same answer. */
  idempotencyKey?: string | null
  /** Only project that the caller's token may access; null or absent for all projects. */
  onlyProject?: string | null
  /** Project that the request or its connection names; null if the project of the input is only a default. */
  namedProject?: string | null
  /** Caller with the scopes of its token; absent if the door has no tokens. */
  caller?: { name: string; tokenName: string | null; scopes: readonly Scope[] }
  runs: TurnRuns
  feed: ChangeFeed
  /** Indexes of the texts that a search finds. */
  search: SearchIndexes
  /** Maximum number of readers of the feed; absent for no limit. */
  maxReaders?: number | undefined
  /** Runs free Cypher in a separate process. */
  queries: Queries
  /** Transcript turns with more calls are long. */
  turnLengthThreshold: number
  /** Folders from which the service may import files. */
  importRoots: readonly string[]
  /** Aborted when the caller gives up, which ends a running query. */
  signal?: AbortSignal | undefined
  /** Receives messages for the operator, at INFO. */
  log?: ((message: string, fields?: Record<string, unknown>) => void) | undefined
}

export const worldSlug = name
/** Boolean field. In a query string, the name without a value means true. */
export const flag = z
  .preprocess(
    (given) => (given === '' ? true : given),
    z.union([z.stringbool(), z.boolean()], 'must be true or false'),
  )
  .default(false)
export const turnNumber = wholeNumber(1, LIMITS.turnNumber)
/** Fields that name a task and its world. `resolveTarget` finds the task of a world that is given without one. */
export const target = {
  project,
  featureId: name.nullish().describe('default: that of the world'),
  taskId: name.nullish().describe('default: that of the world'),
  worldSlug: name.nullish().describe('default: the newest world of the task'),
}
export const asOf = wholeNumber(0, LIMITS.turnNumber)
  .nullish()
  .describe('as of this turn, inclusive; default: the newest')
/** Wraps an operation: errors about unknown names suggest similar ones, and answers show two digits of each mark of a secret. */
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
