/**
 * Declares the registry of a task and the state of a world, and the text in which `World.state` stores a state: lists without
 * names. Pure. Equal states have equal texts.
 */
import * as z from 'zod'
import { sha256 } from '../core/keys.ts'
import { parseJson } from '../core/parse-json.ts'
import type { Listing } from '../memory/specification/specification.ts'
import type { Criterion } from './identity.ts'
import type { CauseLife } from './issue-lives.ts'
import { type Outcome, outcomeColumns } from './outcome.ts'
import { type Progress, progressColumns } from './progress.ts'
import type { ProofFiles } from './stale.ts'
import { columns, optionalText } from './values.ts'

/** A criterion that the newest version of a specification declares. */
type DeclaredKey = Listing & {
  key: string
  /** Version that last changed the words, and the time of its declaration. */
  rewordedIn: number | null
  rewordedAt: string | null
}

/** The criteria of a task. The entries of its records are resolved by them. */
export type Registry = {
  taskKey: string
  criteria: readonly Criterion[]
  /** Newest version of the criteria that the task declares. */
  specification: {
    version: number
    declaredAt: string
    declared: readonly DeclaredKey[]
    /** Criteria of earlier versions, each with the version that left it out. */
    retiredIn: ReadonlyMap<string, number>
  } | null
}

/** A criterion in a stored state: its place in the list `criteria`. */
const place = z.number()

const storedColumns = columns({
  /** The last part of the key of each criterion: `text` or `label`, and the hash in base64. */
  criteria: z.array(z.string()),
  turn: z.number(),
  digest: optionalText,
  digestSum: z.number(),
  turnCount: z.number(),
  labels: z.array(z.tuple([z.string(), place])),
  promised: columns({
    turn: z.number(),
    digest: z.string(),
    promises: z.array(z.tuple([z.string(), place])),
  }).nullable(),
  progress: z.array(z.tuple([place, progressColumns])),
  outcomes: z.array(outcomeColumns),
})

/** The state of a world that `World.state` stores: the facts that its next capture and its next context need. */
export type StoredState = {
  /** Number of the newest turn; 0: no turn. */
  turn: number
  digest: string | null
  /** Sum of the digests of all turns: see {@link sumDigests}. */
  digestSum: number
  turnCount: number
  /** Criterion that each source means by a label, by `meaningKey`, in the order in which the labels were last used. */
  labels: ReadonlyMap<string, string>
  /** Promises of the newest turn that has any. */
  promised: {
    turn: number
    digest: string
    promises: readonly { label: string; criterionKey: string }[]
  } | null
  progress: ReadonlyMap<string, Progress>
  /** Ends of the newest judged turns, ascending. */
  outcomes: readonly Outcome[]
}

/** The whole state of a world after its turns, with the facts that `World.state` does not store. */
export type WorldState = StoredState & {
  worldKey: string
  /** Newest turn at the time of each version of the specification. */
  specifiedAfter: readonly number[]
  /** Causes of issues, in the order in which they were opened. */
  issues: readonly CauseLife[]
  files: ProofFiles
}

export const NO_TURNS: StoredState = {
  turn: 0,
  digest: null,
  digestSum: 0,
  turnCount: 0,
  labels: new Map(),
  promised: null,
  progress: new Map(),
  outcomes: [],
}

/** State that replaces a stored text that cannot be decoded. */
export const UNREADABLE_STATE: StoredState = { ...NO_TURNS, turn: -1 }

/** Adds the digests of turns, in any order, to a sum. A replaced record changes the sum, so a reader notices it. */
export const sumDigests = (before: number, turns: readonly { digest: string }[]): number =>
  turns.reduce(
    (sum, { digest }) => (sum + Number.parseInt(sha256(digest).slice(0, 12), 16)) % 2 ** 48,
    before,
  )

const shortenKey = (lastPart: string): string => {
  const [kind, hash = ''] = lastPart.split(':')
  return `${kind}:${Buffer.from(hash, 'hex').toString('base64url')}`
}

const lengthenKey = (short: string): string => {
  const [kind, hash = ''] = short.split(':')
  return `${kind}:${Buffer.from(hash, 'base64url').toString('hex')}`
}

export function encodeState(taskKey: string, state: StoredState): string {
  const { labels, promised, progress } = state
  const promises = promised?.promises.map(({ label, criterionKey }) => [label, criterionKey] as const) ?? []
  const keys = [...progress.keys(), ...labels.values(), ...promises.map(([, key]) => key)]
  const criteria = [...new Set(keys)].sort()
  const places = new Map(criteria.map((key, i) => [key, i]))
  const withPlace = ([label, key]: readonly [string, string]): [string, number] => [
    label,
    places.get(key) ?? -1,
  ]
  return JSON.stringify(
    z.encode(storedColumns, {
      ...state,
      criteria: criteria.map((key) => shortenKey(key.slice(taskKey.length + 1))),
      labels: [...labels].map(withPlace),
      promised: promised && { ...promised, promises: promises.map(withPlace) },
      progress: [...progress]
        .map(([key, each]): [number, Progress] => [places.get(key) ?? -1, each])
        .sort(([a], [b]) => a - b),
      outcomes: [...state.outcomes],
    }),
  )
}

/** Decodes the property `World.state`. A value that is not a text becomes an empty text, which is no valid state. */
export const stateColumn = optionalText.catch('')

/** @returns the state of a world without turns for null; {@link UNREADABLE_STATE} if the text cannot be decoded */
export function decodeState(taskKey: string, stored: string | null): StoredState {
  if (stored === null) return NO_TURNS
  const { data } = storedColumns.safeParse(parseJson(stored))
  if (data === undefined) return UNREADABLE_STATE
  const { criteria, labels, promised, progress, ...state } = data
  const keys = criteria.map((lastPart) => `${taskKey}/${lengthenKey(lastPart)}`)
  const keyAt = (i: number): string => keys[i] ?? ''
  return {
    ...state,
    labels: new Map(labels.map(([label, i]) => [label, keyAt(i)])),
    promised: promised && {
      ...promised,
      promises: promised.promises.map(([label, i]) => ({ label, criterionKey: keyAt(i) })),
    },
    progress: new Map(progress.map(([i, each]) => [keyAt(i), each])),
  }
}
