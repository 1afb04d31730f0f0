/** Checks a world: the chain of its turns, its runs and attempts, and the values derived from them. */
import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { canonicalInstant } from '../../core/instants.ts'
import { taskKey, turnKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { relink, selectNodes, setProperties, unlink } from '../../graph/model-statements.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import {
  listProgressEdges,
  rewriteStateStep,
  toStateProperties,
} from '../../memory/criteria/rewrite-state.ts'
import { readRevision } from '../../memory/worlds/read-at-one-revision.ts'
import { advanceState } from '../../rules/advance-state.ts'
import { optionalNumber, optionalText } from '../../rules/values.ts'
import { NO_TURNS, type StoredState } from '../../rules/world-state.ts'
import {
  type About,
  Findings,
  fittingProperties,
  type Properties,
  propertyMap,
  type ToCheck,
} from './finding.ts'
import type { Check } from './findings-table.ts'
import { checkAttempts, checkRuns } from './runs.ts'
import { type OfTask, readCriteria } from './tasks.ts'
import { checkTurns, checkWithdrawn, keyList } from './turns.ts'

/** Row of a world, with counts of its parts. */
export const WORLD_COLUMNS = {
  tasks: '[(x)<-[:HAS_WORLD]-(task:Task) | task.key]',
  turns: 'COUNT { (x)-[:HAS_TURN]->(:Turn) }',
  beyond: '[(x)-[:HAS_TURN]->(t:Turn) WHERE t.number > x.currentTurn | t.number]',
  runs: '[(x)-[:HAS_RUN]->(r:TurnRun) | r.key]',
  attempts: 'COUNT { (x)-[:HAS_ATTEMPT]->(:Attempt) }',
  progress: '[(x)-[r:PROGRESS]->(c:Criterion) | [c.key, properties(r)]]',
  activeRuns: `[(x)-[:HAS_RUN]->(r:TurnRun) WHERE r.activeWorldKey IS NOT NULL
        | [r.turnRunId, r.leaseUntil, r.leaseOwner]]`,
  activeAttempts: `[(x)-[:HAS_ATTEMPT]->(a:Attempt) WHERE a.activeWorldKey IS NOT NULL
        | [a.attemptId, a.leaseUntil, a.leaseOwner]]`,
}
const worldByKey = selectNodes('World', WORLD_COLUMNS)
const strayTurns = statement('doctor/stray-turns')
const turnsByKey = selectNodes('Turn', {
  worlds: '[(x)<-[:HAS_TURN]-(w:World) | w.key]',
  before: '[(x)<-[:NEXT]-(p) | p.key]',
  next: '[(x)-[:NEXT]->(n) | n.key]',
  superseded: '[(x)-[:SUPERSEDES]->(o) | o.key]',
  judged: '[(x)<-[:JUDGED]-(a:Agent) | a.key]',
  played: '[(x)<-[:PLAYED]-(a:Agent) | a.key]',
})

const NUMBERS_AT_ONCE = 200
/** Maximum number of tries for a world that changes during the check. The next examination checks it again. */
const MAX_TRIES = 3
/** Id, end of the lease, and owner of the lease. */
const active = z.tuple([z.string(), z.number(), z.string().nullable()])

const worldRow = z.looseObject({
  tasks: keyList,
  turns: z.number(),
  beyond: z.array(z.number()),
  runs: z.array(z.string()),
  attempts: z.number(),
  progress: z.array(z.tuple([z.string(), propertyMap])),
  activeRuns: z.array(active),
  activeAttempts: z.array(active),
})
type WorldRow = z.output<typeof worldRow>

const turnRow = z.object({
  key: z.string(),
  properties: propertyMap,
  worlds: keyList,
  before: keyList,
  next: keyList,
  superseded: keyList,
  judged: keyList,
  played: keyList,
})
type TurnRow = z.output<typeof turnRow>

/** Reports findings only if no write changed the world during the check: the check reads a write part by part. */
export async function checkWorld({ graph, nodes: [node], findings }: ToCheck): Promise<void> {
  if (node === undefined) return
  const { key, about } = node
  let world = node.properties as Stored<'World'>
  let row = worldRow.parse(node.row)
  const { tasks } = row
  const ofTask = taskKey(world.project, world.featureId, world.taskId)
  const task = tasks.includes(ofTask) ? ofTask : (tasks[0] ?? '')
  if ([...tasks, world.taskKey].some((each) => each !== ofTask))
    about.add('key_wrong', `says it is of task ${world.taskKey} (${ofTask}), stands below ${tasks.sort()}`)
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const found = new Findings()
    await examineWorld(graph, world, row, await readCriteria(graph, task), found)
    if (found.all.length === 0 || (await readRevision(graph, key)) === world.rev) return findings.take(found)
    const [again] = await readRows(
      graph,
      worldByKey,
      { keys: [key] },
      worldRow.extend({ properties: propertyMap }),
    )
    if (again === undefined) return
    row = again
    world = fittingProperties('World', again.properties)
  }
}

/** Values derived from the turns so far, and the end of their chain. */
type Derived = {
  turnsFound: number
  /** The previous turn, and the targets of its NEXT. */
  last: { key: string; number: number; next: string[] } | null
  /** Latest completion time of a turn. */
  latest: string | null
  state: StoredState
}

type Work = {
  world: Stored<'World'>
  row: WorldRow
  task: OfTask
  derived: Derived
  findings: Findings
  /** Reporter of findings about the world. */
  about: About
}

async function examineWorld(
  graph: Graph,
  world: Stored<'World'>,
  row: WorldRow,
  task: OfTask,
  findings: Findings,
): Promise<void> {
  const about = findings.of('World', world.key)
  if (world.forgottenAt !== undefined || world.restoring === true) {
    const check = world.forgottenAt === undefined ? 'restore_unfinished' : 'forget_unfinished'
    return about.add(check, `${row.turns} of its turns are there`)
  }
  const derived: Derived = {
    turnsFound: 0,
    last: null,
    latest: null,
    state: NO_TURNS,
  }
  const work = { world, row, task, derived, findings, about }
  findings.examined += row.runs.length + row.attempts
  for (let first = 1; first <= world.currentTurn; first += NUMBERS_AT_ONCE)
    await examineTurns(graph, work, first)
  await checkWithdrawn(graph, world.key, task.criteria, findings)
  const { last } = derived
  if (last !== null && last.next.length > 0)
    findings
      .of('Turn', last.key)
      .add('turn_chain', `is the newest, and leads to ${last.next}`, unlink('Turn', last.key, 'NEXT', 'out'))
  if (row.turns !== derived.turnsFound) await reportStrays(graph, work)
  const ofRuns = {
    ...world,
    attemptCount: world.attemptCount ?? 0,
    activeRuns: row.activeRuns.length,
    activeAttempts: row.activeAttempts.length,
  }
  await checkRuns(graph, ofRuns, row.runs, findings)
  await checkAttempts(graph, ofRuns, findings)
  checkCounters(work)
  checkActive(work)
  checkState(work)
}

async function examineTurns(
  graph: Graph,
  { world, task, derived, findings }: Work,
  first: number,
): Promise<void> {
  const length = Math.min(NUMBERS_AT_ONCE, world.currentTurn - first + 1)
  const keys = Array.from({ length }, (_, i) => turnKey(world.key, first + i))
  const rows = await readRows(graph, turnsByKey, { keys }, turnRow)
  const byKey = new Map<string, TurnRow>()
  for (const row of rows) {
    if (byKey.has(row.key))
      findings.of('Turn', row.key).add('turn_number_doubled', 'stands twice under its key')
    byKey.set(row.key, row)
  }
  const turns = [...byKey.values()].sort((a, b) => numberIn(a.key) - numberIn(b.key))
  for (const turn of turns) checkChain(turn, derived, world.key, findings)
  const { ledger, promised, outcomes } = await checkTurns(graph, turns, task.criteria, findings)
  const entriesOf = groupBy(ledger, ({ turn }) => turn)
  const promisesOf = groupBy(promised, ({ turn }) => turn)
  derived.state = advanceState(
    derived.state,
    turns.map(({ key, properties: { digest } }) => ({
      turn: numberIn(key),
      digest: String(digest),
      outcome: outcomes.get(key) ?? null,
      entries: entriesOf.get(numberIn(key)) ?? [],
      promised: promisesOf.get(numberIn(key)) ?? [],
    })),
    task.finalKey,
  )
  derived.turnsFound += rows.length
}

const numberIn = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))

/** Writes instants in their canonical form, to the microsecond. */
const isLater = (at: string, than: string | null): boolean => at.slice(0, -1) > (than ?? '').slice(0, -1)

/** Checks the chain of the existing turns. */
function checkChain(
  { key, properties, worlds, before, next }: TurnRow,
  derived: Derived,
  world: string,
  findings: Findings,
): void {
  const { last } = derived
  const number = numberIn(key)
  const about = findings.of('Turn', key)
  const relinked = [
    relink(['World', world], 'HAS_TURN', ['Turn', key], 'to'),
    last === null
      ? unlink('Turn', key, 'NEXT', 'in')
      : relink(['Turn', last.key], 'NEXT', ['Turn', key], 'both'),
  ]
  const shown = (keys: readonly string[], nothing: string) => (keys.length === 0 ? nothing : keys)
  if (properties.number !== number)
    about.add('key_wrong', `says it is turn ${properties.number}`, setProperties('Turn', key, { number }))
  if (worlds.join() !== world) about.add('turn_chain', `hangs on ${shown(worlds, 'no world')}`, relinked)
  const isReached = last === null || last.next.join() === key
  if (!isReached)
    findings
      .of('Turn', last.key)
      .add('turn_chain', `leads to ${shown(last.next, 'nothing')}, not to ${key}`, relinked)
  const expected = last?.key ?? ''
  if (isReached && before.join() !== expected)
    about.add('turn_chain', `comes after ${shown(before, 'nothing')}, not ${expected || 'nothing'}`, relinked)
  derived.last = { key, number, next }
  const completedAt = canonicalInstant(String(properties.completedAt))
  if (completedAt !== null && isLater(completedAt, derived.latest)) derived.latest = completedAt
}

/** Reports turns whose key does not match their number. The repair detaches such a turn from its world and keeps its data. */
async function reportStrays(graph: Graph, { world, row, derived, findings, about }: Work): Promise<void> {
  const strays = await readRows(graph, strayTurns, { worldKey: world.key, limit: 20 }, strayRow)
  for (const { key, number } of strays)
    findings
      .of('Turn', key)
      .add('turn_number_doubled', `stands in ${world.key} with number ${number}, under another key`, () =>
        key === null ? null : [unlink('Turn', key, 'HAS_TURN', 'in'), unlink('Turn', key, 'NEXT', 'both')],
      )
  if (strays.length > 0) return
  about.add('world_counters', `has ${row.turns} turns, ${derived.turnsFound} up to currentTurn`, () =>
    row.beyond.length === 0 ? null : setWorld(world, { currentTurn: Math.max(...row.beyond) }),
  )
}

const strayRow = z.object({ key: optionalText, number: optionalNumber })

function checkCounters({ world, row, derived, findings, about }: Work): void {
  // The cause, a doubled turn number, is already reported.
  if (findings.all.some(({ check }) => check === 'turn_number_doubled')) return
  const instant = (at: string | null | undefined) => (at == null ? null : canonicalInstant(at))
  const counters: Properties = {
    currentTurn: derived.last?.number ?? 0,
    turnCount: row.turns,
    lastCompletedAt: derived.latest,
    lastActivityAt: derived.latest ?? instant(world.createdAt),
    attemptCount: row.attempts,
  }
  const says = {
    ...world,
    lastCompletedAt: instant(world.lastCompletedAt),
    lastActivityAt: instant(world.lastActivityAt),
    attemptCount: world.attemptCount ?? 0,
  }
  // A counter above the number of turns is the only trace of a lost turn: keep it.
  const hasLostTurns = world.turnCount > row.turns
  for (const [name, there] of Object.entries(counters))
    about.reportDifference(
      'world_counters',
      { label: name, actual: says[name as 'rev'], expected: there },
      () => (hasLostTurns && name !== 'attemptCount' ? null : setWorld(world, { [name]: there ?? null })),
    )
}

/** Sets properties of a world and raises its revision, so that a concurrent reader reads the world again. */
const setWorld = (world: Stored<'World'>, properties: Properties): Step | null =>
  setProperties('World', world.key, { ledgerRev: world.ledgerRev + 1, ...properties })

function checkActive({ world, row: { activeRuns, activeAttempts }, about }: Work): void {
  if (activeRuns.length > 1 || activeAttempts.length > 1) {
    const found = `has ${activeRuns.length} runs and ${activeAttempts.length} attempts that are active`
    about.add('world_active', found)
    return
  }
  const says = [world.activeRunId ?? [], world.activeAttemptId ?? [], world.leased === true].flat()
  const active = [...activeRuns, ...activeAttempts]
  const isActive = active.length > 0
  const there = [...active.map(([id]) => id), isActive]
  about.reportDifference(
    'world_active',
    { label: 'names the active ones, and whether there are any:', actual: says, expected: there },
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

const UNSOUND: readonly Check[] = [
  'turn_parts',
  'part_criterion',
  'record_invalid',
  'turn_number_doubled',
  'turn_chain',
  'key_wrong',
]

/** Compares the stored state of a world, and the values that follow from it, with the state that all of its turns give. */
function checkState({ world, row, task, derived: { state }, findings, about }: Work): void {
  // If turns are damaged or lost, the state that the others give would be wrong, too.
  const isDamaged = UNSOUND.some((check) => findings.checks.has(check)) || world.turnCount > row.turns
  if (isDamaged || !task.isSound) return
  const repair = rewriteStateStep(world, state)
  const { state: text, ...properties } = toStateProperties(world.taskKey, state)
  if ((world.state ?? null) !== text)
    about.add('world_progress', 'its state is not the one that its turns give', repair)
  for (const [name, expected] of Object.entries(properties))
    about.reportDifference(
      'world_counters',
      { label: name, actual: world[name as keyof typeof properties], expected },
      repair,
    )
  const edges = new Map(listProgressEdges(state).map(({ criterion, ...edge }) => [criterion, edge]))
  for (const [key, stored] of row.progress) {
    const expected = edges.get(key)
    const names = Object.keys(expected ?? stored)
    const select = (from: Properties = {}) => names.map((name) => from[name] ?? null)
    findings
      .of('Criterion', key)
      .reportDifference(
        'world_progress',
        { label: `in ${world.key}: ${names}`, actual: select(stored), expected: select(expected) },
        repair,
      )
  }
  const linked = row.progress.map(([key]) => key)
  about.reportDifference(
    'world_progress',
    { label: 'criteria with progress:', actual: linked.sort(), expected: [...edges.keys()].sort() },
    repair,
  )
}
