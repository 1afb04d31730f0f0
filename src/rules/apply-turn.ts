/**
 * Computes what a record changes (contract: records.md, rule 1): from the registry of a task, the state of a world and one entry,
 * the next registry and the next state. Pure. The views of this folder derive criteria, promises, stalls and stale proofs from both.
 */
import type { TurnRecord } from '../memory/record/record.ts'
import type { Declared, Listing, Specification } from '../memory/specification/specification.ts'
import { type Added, compareAdded } from './addition-order.ts'
import { advanceState } from './advance-state.ts'
import { markCause } from './causes.ts'
import { findDeniedFiles } from './denied-files.ts'
import { type Criterion, type Known, type Resolution, resolveDeclared } from './identity.ts'
import { advanceLives } from './issue-lives.ts'
import { type Outcome, toOutcome } from './outcome.ts'
import { advance, finalKeys, type LedgerEntry, type PromiseEntry } from './progress.ts'
import { addFiles, dropOldTouches, NO_FILES } from './stale.ts'
import { listEntries, listGates, listVerifications, type NamingRecord, resolveTurn } from './turn-entries.ts'
import { joinedWords } from './words.ts'
import { NO_TURNS, type Registry, type StoredState, type WorldState } from './world-state.ts'

/** Criteria that the entries of a record mean. The capture decides on them once, and a fold uses the stored decision. */
export type Meanings = Omit<Resolution, 'changed'>

/** A turn as captured. It replaces an earlier record of the same number. */
export type TurnEntry = { kind: 'turn'; record: TurnRecord; digest: string; meanings: Meanings | null }

/** Verifications that were added to a turn after its end. */
export type AdditionEntry = {
  kind: 'addition'
  turn: number
  verifications: NamingRecord['verifications']
  meanings: Meanings | null
  /** Place of its first verification in its turn. A fold assigns it. */
  position: number
} & Added

export type WithdrawalEntry = { kind: 'withdrawal'; above: number }

export type Entry = TurnEntry | AdditionEntry | WithdrawalEntry

export type Applied = {
  registry: Registry
  state: WorldState
  /** Additions to the projection. */
  changes: {
    meanings: Meanings
    /** Criteria that are new or have a new text, label or merge. */
    criteria: readonly Criterion[]
    ledger: readonly LedgerEntry[]
    promised: readonly PromiseEntry[]
    outcome: Outcome | null
  }
}

export const emptyRegistry = (taskKey: string): Registry => ({ taskKey, criteria: [], specification: null })

/** The state of a world before its first turn. Versions of the specification that exist then are known from the start. */
export const emptyState = (worldKey: string, specifiedAfter: readonly number[] = []): WorldState => ({
  ...NO_TURNS,
  worldKey,
  specifiedAfter,
  issues: [],
  files: NO_FILES,
})

/** @returns null if the world has to be folded again ({@link foldWorld}) */
export function applyTurn(registry: Registry, state: WorldState, entry: Entry): Applied | null {
  if (entry.kind !== 'turn') return null
  const applied = entry.record.turnNumber > state.turn ? applyNext(registry, state, entry) : null
  return applied === null || hasMerge(applied) ? null : applied
}

const hasMerge = ({ changes }: Applied): boolean =>
  changes.criteria.some(({ mergedInto }) => mergedInto !== null)

/**
 * Folds all entries of a world. Entries without meanings are resolved at their place.
 *
 * @param before a state of the world: only its key and the versions that it knows are used
 * @param entries in the order of their arrival
 * @returns the entries that count, with their meanings, ascending
 */
export function foldWorld<E extends TurnEntry | AdditionEntry>(
  registry: Registry,
  before: WorldState,
  entries: readonly (E | WithdrawalEntry)[],
): { registry: Registry; state: WorldState; entries: E[] } {
  const known = selectCounting(entries)
  let folded = { registry, state: emptyState(before.worldKey, before.specifiedAfter) }
  let position = 0
  for (const [i, given] of known.entries()) {
    const entry = given.kind === 'turn' ? given : { ...given, position }
    position =
      given.kind === 'turn' ? listVerifications(given.record).length : position + given.verifications.length
    const applied = applyNext(folded.registry, folded.state, entry)
    known[i] = { ...entry, meanings: applied.changes.meanings }
    // Earlier entries of a merged criterion count for the other one.
    if (hasMerge(applied)) return foldWorld(applied.registry, before, known)
    folded = applied
  }
  const { state } = folded
  // A version that was declared after a withdrawn turn is newer than the newest turn that counts.
  const specifiedAfter = state.specifiedAfter.map((turn) => Math.min(turn, state.turn))
  return { ...folded, state: { ...state, specifiedAfter }, entries: known }
}

/** Selects the newest record of each turn that is not withdrawn, ascending, with its additions in the order of their times. */
function selectCounting<E extends TurnEntry | AdditionEntry>(entries: readonly (E | WithdrawalEntry)[]): E[] {
  const turns = new Map<number, { record: E | null; additions: E[] }>()
  for (const entry of entries) {
    if (entry.kind === 'withdrawal') {
      for (const turn of [...turns.keys()]) if (turn > entry.above) turns.delete(turn)
      continue
    }
    const turn = entry.kind === 'turn' ? entry.record.turnNumber : entry.turn
    const { record, additions } = turns.get(turn) ?? { record: null, additions: [] }
    turns.set(
      turn,
      entry.kind === 'turn' ? { record: entry, additions } : { record, additions: addOnce(additions, entry) },
    )
  }
  return [...turns]
    .sort(([a], [b]) => a - b)
    .flatMap(([, { record, additions }]) => (record === null ? [] : [record, ...additions]))
}

const addOnce = <E extends TurnEntry | AdditionEntry>(additions: readonly E[], entry: E): E[] =>
  additions.some(({ digest }) => digest === entry.digest)
    ? [...additions]
    : [...additions, entry].sort((a, b) =>
        a.kind === 'addition' && b.kind === 'addition' ? compareAdded(a, b) : 0,
      )

function applyNext(registry: Registry, state: WorldState, entry: TurnEntry | AdditionEntry): Applied {
  const record = entry.kind === 'turn' ? entry.record : toPartialRecord(entry)
  const { turnNumber: turn } = record
  const { changed, ...meanings } =
    entry.meanings === null
      ? resolveTurn(record, knownBefore(registry, state))
      : { ...entry.meanings, changed: [] }
  const next = { ...registry, criteria: mergeCriteria(registry.criteria, changed) }
  const finalKey = finalKeys(next.criteria)
  const firstPosition = entry.kind === 'turn' ? 0 : entry.position
  const { ledger, promised } = listEntries(record, meanings, firstPosition)
  const changes = { meanings, criteria: changed, ledger, promised, outcome: null }
  const files = addFiles(state.files, { turn, ...listFiles(record, meanings) }, finalKey)
  const withFiles = (advanced: StoredState): WorldState => ({
    ...state,
    ...advanced,
    files: dropOldTouches(
      files,
      [...advanced.progress.values()].map(({ lastVerifiedTurn }) => lastVerifiedTurn),
    ),
  })
  if (entry.kind === 'addition') {
    const progress = advance(state.progress, ledger, promised, finalKey)
    return { registry: next, state: withFiles({ ...state, progress }), changes }
  }
  const { digest } = entry
  const outcome = toOutcome({ ...entry.record, gates: listGates(entry.record) })
  const advanced = advanceState(state, [{ turn, digest, outcome, entries: ledger, promised }], finalKey)
  const issues = advanceLives(state.issues, {
    turn,
    coachDecision: entry.record.coachDecision,
    marks: entry.record.issues.map(markCause),
  })
  return {
    registry: next,
    state: { ...withFiles(advanced), issues },
    changes: { ...changes, outcome },
  }
}

export const toPartialRecord = ({ turn, verifications }: AdditionEntry) => ({
  turnNumber: turn,
  acceptanceCriteriaStatus: {},
  verifications: [...verifications],
  promises: [],
  issues: [],
  filesModified: [],
  filesSource: null,
})

const knownBefore = (
  { taskKey, criteria, specification }: Registry,
  { worldKey, labels, promised }: WorldState,
): Known => ({
  taskKey,
  worldKey,
  criteria,
  labels,
  earlier: promised?.promises ?? [],
  declared: listDeclared(specification),
})

const listDeclared = (specification: Registry['specification']) =>
  (specification?.declared ?? []).map(({ label, key }) => ({ label, criterionKey: key }))

function mergeCriteria(known: readonly Criterion[], changed: readonly Criterion[]): Criterion[] {
  const criteria = new Map(known.map((criterion) => [criterion.key, criterion]))
  for (const criterion of changed) criteria.set(criterion.key, criterion)
  return [...criteria.values()]
}

function listFiles(
  record: NamingRecord & Pick<TurnRecord, 'filesModified' | 'filesSource'>,
  { promises, judgements }: Meanings,
) {
  const judged = judgements.flat()
  const denied = new Set(findDeniedFiles(record))
  return {
    touched: record.filesModified.filter((file) => !denied.has(file)),
    promised: record.promises.map(({ testFile, implementationFiles }, i) => ({
      key: promises[i] ?? '',
      files: [...(testFile === null ? [] : [testFile]), ...implementationFiles],
    })),
    verified: listVerifications(record).map(({ files = [] }, i) => ({ key: judged[i] ?? '', files })),
  }
}

/** Applies a version of the specification. Marks criteria as reworded or retired in comparison with the previous version. */
export function applyVersion(
  registry: Registry,
  { declaredAt, listings }: { declaredAt: string; listings: readonly Listing[] },
): { registry: Registry & { specification: object }; changed: Criterion[] } {
  const { taskKey, criteria, specification: before } = registry
  const version = (before?.version ?? 0) + 1
  const { keys, changed } = resolveDeclared({ taskKey, criteria, declared: listDeclared(before) }, listings)
  const earlier = new Map((before?.declared ?? []).map((declared) => [declared.key, declared]))
  const declared = listings.map(({ label, text, kind, command = null, tests = null }, i) => {
    const key = keys[i] ?? ''
    const last = earlier.get(key)
    const hasSameWords = last === undefined || joinedWords(last.text) === joinedWords(text)
    return {
      label,
      text,
      kind,
      command,
      tests,
      key,
      rewordedIn: hasSameWords ? (last?.rewordedIn ?? null) : version,
      rewordedAt: hasSameWords ? (last?.rewordedAt ?? null) : declaredAt,
    }
  })
  const retired = [...(before?.retiredIn ?? []), ...[...earlier.keys()].map((key) => [key, version] as const)]
  const retiredIn = new Map(retired.filter(([key]) => !keys.includes(key)))
  return {
    registry: {
      taskKey,
      criteria: mergeCriteria(criteria, changed),
      specification: { version, declaredAt, declared, retiredIn },
    },
    changed,
  }
}

/** Returns the declared criteria with their texts and labels in the registry; null without a specification. */
export function specificationOf({ criteria, specification }: Registry): Specification | null {
  if (specification === null) return null
  const byKey = new Map(criteria.map((criterion) => [criterion.key, criterion]))
  const declared = specification.declared.flatMap((one): Declared[] => {
    const criterion = byKey.get(one.key)
    return criterion === undefined ? [] : [{ ...one, criterion }]
  })
  return { ...specification, declared }
}
