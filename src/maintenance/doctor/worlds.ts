/** Checks a world: its turns, their chain, and the values that are derived from them. */
import * as z from 'zod'
import { canonicalInstant, compareInstants } from '../../core/instants.ts'
import { taskKey, turnKey } from '../../core/keys.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { relink, setProperties, unlink } from '../../graph/model-statements.ts'
import type { Graph, Step } from '../../graph/port.ts'
import {
  listProgressEdges,
  rewriteStateStep,
  toStateProperties,
} from '../../memory/criteria/rewrite-state.ts'
import { readLedger } from '../../memory/criteria/snapshot.ts'
import { advanceState } from '../../rules/advance-state.ts'
import { finalKeys, findBrokenMerge } from '../../rules/progress.ts'
import { NO_TURNS } from '../../rules/world-state.ts'
import { type About, type Findings, type Properties, propertyMap, type ToCheck } from './finding.ts'
import type { Check } from './findings-table.ts'
import { numberIn } from './turns.ts'

const activeOf = (type: string, label: string, id: string): string =>
  `[(x)-[:${type}]->(a:${label}) WHERE a.activeWorldKey IS NOT NULL | [a.${id}, a.leaseUntil, a.leaseOwner]]`

/** Columns of a world: its turns with the times of their ends and their NEXT edges, its progress, and its active runs and attempts. */
export const WORLD_COLUMNS = {
  turns: '[(x)-[:HAS_TURN]->(t:Turn) | [t.key, toString(t.completedAt)]]',
  next: '[(x)-[:HAS_TURN]->(t:Turn)-[:NEXT]->(n) | [t.key, n.key]]',
  previous: '[(x)-[:HAS_TURN]->(t:Turn)<-[:NEXT]-(p) | [p.key, t.key]]',
  attempts: 'COUNT { (x)-[:HAS_ATTEMPT]->(:Attempt) }',
  progress: '[(x)-[r:PROGRESS]->(c:Criterion) | [c.key, properties(r)]]',
  activeRuns: activeOf('HAS_RUN', 'TurnRun', 'turnRunId'),
  activeAttempts: activeOf('HAS_ATTEMPT', 'Attempt', 'attemptId'),
}

/** Key or id, empty if the node has none. */
const name = z.string().catch('')
/** Id, end of the lease, and owner of the lease. A missing lease has expired. */
const active = z.tuple([name, z.number().catch(0), z.string().nullable().catch(null)])
const edges = z.array(z.tuple([name, name]))
const worldRow = z.object({
  turns: z.array(z.tuple([name, z.string().nullable()])),
  next: edges,
  previous: edges,
  attempts: z.number(),
  progress: z.array(z.tuple([z.string(), propertyMap])),
  activeRuns: z.array(active),
  activeAttempts: z.array(active),
})

type Work = { world: Stored<'World'>; row: z.output<typeof worldRow>; about: About }

/** Checks of turns. If one of them has findings, the state of the world is not compared. */
const UNSOUND: readonly Check[] = [
  'turn_parts',
  'part_criterion',
  'record_invalid',
  'key_wrong',
  'turn_outcome',
]

export async function checkWorld({ graph, nodes: [node], findings, examine }: ToCheck): Promise<void> {
  if (node === undefined) return
  const { about } = node
  const world = node.properties as Stored<'World'>
  const row = worldRow.parse(node.row)
  const work = { world, row, about }
  const ofTask = taskKey(world.project, world.featureId, world.taskId)
  about.reportDifference('key_wrong', { label: 'taskKey', actual: world.taskKey, expected: ofTask })
  if (world.forgottenAt !== undefined || world.restoring === true) {
    const check = world.forgottenAt === undefined ? 'restore_unfinished' : 'forget_unfinished'
    return about.add(check, `it still has ${row.turns.length} turns`)
  }
  const linked = row.turns.map(([key]) => key).sort((a, b) => numberIn(a) - numberIn(b))
  const keys = [...new Set(linked.filter((key) => key === turnKey(world.key, numberIn(key))))]
  const { checks } = await examine('Turn', keys)
  checkActive(work)
  if (reportMoved(work, keys)) return
  checkChain(work, keys)
  // No read of the world is whole before its other turns are gone.
  if (linked.length > keys.length) return reportOthers(work, linked, keys)
  if (!checks.has('key_wrong')) checkCounters(work, keys)
  // If turns are damaged or lost, the remaining turns give a wrong state.
  if (!UNSOUND.some((check) => checks.has(check)) && world.turnCount === keys.length)
    await checkState(graph, work, findings)
}

/** Reports turns that a world has twice, or that its key does not name. A repair leaves each to the world of its own key. */
function reportOthers({ world, about }: Work, linked: readonly string[], keys: readonly string[]): void {
  const others = linked.filter((key, i) => !keys.includes(key) || linked.indexOf(key) !== i)
  for (const key of others) {
    const owner = key.slice(0, key.lastIndexOf('/'))
    const hasNumber = key === turnKey(owner, numberIn(key))
    if (hasNumber)
      about.add('turn_chain', `has ${key} ${owner === world.key ? 'twice' : 'of another world'}`, () =>
        relink(['World', owner], 'HAS_TURN', ['Turn', key], 'to'),
      )
    else about.add('key_wrong', `has a turn with the key ${JSON.stringify(key)}`)
  }
}

/** Reports turns whose key names the world and to which NEXT leads, but which hang on another world or on no world. */
function reportMoved({ world, row: { next, previous }, about }: Work, keys: readonly string[]): boolean {
  const own = new Set(keys)
  const isMoved = (key: string) => key === turnKey(world.key, numberIn(key)) && !own.has(key)
  const moved = new Set([...next, ...previous].flat().filter(isMoved))
  for (const key of moved)
    about.add('turn_chain', `does not have ${key}, to which NEXT leads`, () =>
      relink(['World', world.key], 'HAS_TURN', ['Turn', key], 'to'),
    )
  return moved.size > 0
}

/** Compares the edges NEXT with the order of the turns. */
function checkChain({ row: { next, previous }, about }: Work, keys: readonly string[]): void {
  const expected = keys.slice(1).map((key, i) => [keys[i] ?? '', key] as const)
  const own = new Set(keys)
  const hasOwn = ([from, to]: readonly [string, string]) => own.has(from) || own.has(to)
  const written = (pairs: readonly (readonly [string, string])[]) =>
    new Set(pairs.filter(hasOwn).map(([from, to]) => `${from} → ${to}`))
  const [wanted, stored] = [written(expected), written([...next, ...previous])]
  const missing = [...wanted].filter((pair) => !stored.has(pair))
  const wrong = [...stored].filter((pair) => !wanted.has(pair)).sort()
  if (missing.length + wrong.length === 0) return
  const isTouched = (key: string) => [...missing, ...wrong].some((pair) => pair.split(' → ').includes(key))
  about.add(
    'turn_chain',
    `NEXT: missing ${missing.join(', ') || 'none'}; wrong ${wrong.join(', ') || 'none'}`,
    () => [
      ...keys.filter(isTouched).map((key) => unlink('Turn', key, 'NEXT')),
      ...expected
        .filter(([from, to]) => isTouched(from) || isTouched(to))
        .map(([from, to]) => relink(['Turn', from], 'NEXT', ['Turn', to], 'both')),
    ],
  )
}

function checkCounters({ world, row, about }: Work, keys: readonly string[]): void {
  const instant = (at: string | null | undefined) => canonicalInstant(at ?? '')
  const completed = row.turns.flatMap(([, at]) => instant(at) ?? [])
  const latest = completed.sort(compareInstants).at(-1) ?? null
  const counters: Properties = {
    currentTurn: numberIn(keys.at(-1) ?? '/0'),
    turnCount: keys.length,
    lastCompletedAt: latest,
    lastActivityAt: latest ?? instant(world.createdAt),
    attemptCount: row.attempts,
  }
  const stored: Properties = {
    ...world,
    lastCompletedAt: instant(world.lastCompletedAt),
    lastActivityAt: instant(world.lastActivityAt),
    attemptCount: world.attemptCount ?? 0,
  }
  // A counter above the number of turns is the only trace of a lost turn: keep it.
  const repair = () => (world.turnCount > keys.length ? null : setWorld(world, counters))
  for (const [label, expected] of Object.entries(counters))
    about.reportDifference('world_counters', { label, actual: stored[label], expected }, repair)
}

/** Sets properties of a world and raises its revision, so that a concurrent reader reads the world again. */
const setWorld = (world: Stored<'World'>, properties: Properties): Step | null =>
  setProperties('World', world.key, { ledgerRev: world.ledgerRev + 1, ...properties })

function checkActive({ world, row: { activeRuns, activeAttempts }, about }: Work): void {
  const active = [...activeRuns, ...activeAttempts]
  if (activeRuns.length > 1 || activeAttempts.length > 1) {
    const found = `has ${activeRuns.length} runs and ${activeAttempts.length} attempts that are active`
    about.add('world_active', found)
    return
  }
  const isActive = active.length > 0
  about.reportDifference(
    'world_active',
    {
      label: 'ids of active runs and attempts, leased',
      actual: [world.activeRunId ?? [], world.activeAttemptId ?? [], world.leased === true].flat(),
      expected: [...active.map(([id]) => id), isActive],
    },
    () =>
      setProperties('World', world.key, {
        activeRunId: activeRuns[0]?.[0] ?? null,
        activeAttemptId: activeAttempts[0]?.[0] ?? null,
        leased: isActive ? true : null,
        leaseUntil: isActive ? Math.min(...active.map(([, until]) => until)) : null,
        leaseOwners: isActive ? active.flatMap(([, , owner]) => owner ?? []) : null,
      }),
  )
}

/** Compares the stored state of a world, and the values that follow from it, with the state that all of its turns give. */
async function checkState(graph: Graph, { world, row, about }: Work, findings: Findings): Promise<void> {
  const ledger = await readLedger(graph, world.key)
  // If the world has changed since it was read, the next examination compares it.
  if (ledger === null || ledger.ledgerRev !== world.ledgerRev) return
  const merges = new Map(ledger.criteria.map(({ key, mergedInto }) => [key, mergedInto]))
  if ([...merges.keys()].some((key) => findBrokenMerge(key, merges) !== null)) return
  const state = advanceState(NO_TURNS, ledger.turns, finalKeys(ledger.criteria))
  const repair = () => rewriteStateStep(world, state)
  const { state: text, ...properties } = toStateProperties(world.taskKey, state)
  if ((world.state ?? null) !== text)
    about.add('world_progress', 'the stored state is not the state that the turns give', repair)
  for (const [label, expected] of Object.entries(properties))
    about.reportDifference(
      'world_counters',
      { label, actual: world[label as keyof typeof properties], expected },
      repair,
    )
  const expected = new Map(listProgressEdges(state).map(({ criterion, ...edge }) => [criterion, edge]))
  for (const [key, stored] of row.progress) {
    const edge: Properties = expected.get(key) ?? {}
    const select = (from: Properties) => Object.keys(edge).map((name) => from[name] ?? null)
    findings
      .of('Criterion', key)
      .reportDifference(
        'world_progress',
        { label: `${Object.keys(edge)} in ${world.key}`, actual: select(stored), expected: select(edge) },
        repair,
      )
  }
  about.reportDifference(
    'world_progress',
    {
      label: 'criteria with progress',
      actual: row.progress.map(([key]) => key).sort(),
      expected: [...expected.keys()].sort(),
    },
    repair,
  )
}
