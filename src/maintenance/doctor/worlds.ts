import * as z from 'zod'
import { canonicalInstant } from '../../core/instants.ts'
import { taskKey, worldKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import { optionalNumber, optionalText } from '../../graph/model/values.ts'
import { type Graph, type Step, stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { type Progress, progressProperties, progressRow } from '../../memory/criteria/rows.ts'
import { advance, type ProgressSummary, summaryOf } from '../../memory/criteria/state.ts'
import { readRevision } from '../../memory/worlds/read-at-one-revision.ts'
import type { Check } from './checks.ts'
import type { WorldState } from './cursor.ts'
import { type Finding, Findings } from './finding.ts'
import { checkKey, checkRecord, difference, type Held, heldMap, setOf } from './records.ts'
import { checkAttempts, checkRuns } from './runs.ts'
import { checkTurns, readTurns, type Said, type TurnRow } from './turns.ts'

const worldByKey = statement('doctor/world')
const repairWorld = statement('doctor/repair-world')
const linkTurn = statement('doctor/repair-turn-link')
const lastTurn = statement('doctor/repair-turn-last')
const rewriteProgress = statement('doctor/repair-progress')
const strayTurn = statement('doctor/repair-stray-turn')
const strayTurns = statement('doctor/stray-turns')

const NUMBERS_AT_ONCE = 200
/** A world that is written to all the time is left for another examination. */
const MOST_TRIES = 3
/** As many as the world keeps (cypher/turns/append). */
const OUTCOMES = 8

/** The id, the end of its lease, and who has it. */
const active = z.tuple([z.string(), z.number(), z.string().nullable()])

const worldRow = z.object({
  held: heldMap,
  turns: z.number(),
  latest: optionalText,
  newest: optionalNumber,
  runs: z.number(),
  attempts: z.number(),
  progress: z.array(
    z.tuple([z.string(), z.string().nullable(), z.string().nullable(), z.number().nullable()]),
  ),
  activeRuns: z.array(active),
  activeAttempts: z.array(active),
})
type WorldRow = z.output<typeof worldRow>

/** What of its task a world's turns may speak of, and where merged criteria count. */
export type OfTask = {
  key: string
  criteria: ReadonlySet<string>
  keyOf: (key: string) => string
  /** Whether every merge comes to an end. */
  isSound: boolean
}

export type Examined = {
  examined: number
  findings: readonly Finding[]
  repairs: readonly Step[]
  open: WorldState | null
}

const begin = (key: string, rev: string, tries: number, row: WorldRow): WorldState => ({
  key,
  rev,
  tries,
  turn: 1,
  attempt: 1,
  run: '',
  turnsFound: 0,
  attemptsFound: 0,
  runsFound: 0,
  activeRuns: row.activeRuns.length,
  activeAttempts: row.activeAttempts.length,
  last: null,
  promisedTurn: null,
  promisedDigest: null,
  outcomes: [],
  progress: [],
  findings: [],
  checks: [],
})

/**
 * A world with its turns, runs and attempts, as far as there is time; `open` is where it goes on. What was found is told
 * when it is done, and only if nobody wrote there meanwhile: a write is seen part by part.
 */
export async function checkWorld(
  graph: Graph,
  key: string,
  task: OfTask,
  open: WorldState | null,
  isTime: () => boolean,
): Promise<Examined> {
  const [row] = await readRows(graph, worldByKey, { worldKey: key }, worldRow)
  if (row === undefined) return done(0, new Findings())
  const findings = new Findings()
  findings.all.push(...((open?.findings ?? []) as Finding[]))
  for (const check of open?.checks ?? []) findings.checks.add(check as Check)
  if (open === null && !checkRecord(findings, 'World', key, row.held)) return done(1, findings)
  const world = storedProperties('World', row.held)
  if (world.forgottenAt !== undefined || world.restoring === true) {
    const check = world.forgottenAt === undefined ? 'restore_unfinished' : 'forget_unfinished'
    findings.add(check, 'World', key, `${row.turns} of its turns are there`)
    return done(1, findings)
  }
  const state = open ?? begin(key, world.rev, 1, row)
  if (open === null) checkIdentity(findings, world, task)
  const examined = await examineAll(graph, { world, row, task, state, findings }, isTime)
  if (examined.open)
    return {
      examined: examined.examined,
      findings: [],
      repairs: [],
      open: { ...state, findings: findings.all, checks: [...findings.checks] },
    }
  if (findings.all.length === 0 || !(await hasMoved(graph, key, state.rev)))
    return done(examined.examined, findings)
  const again =
    state.tries === MOST_TRIES
      ? null
      : begin(key, (await readRevision(graph, key)) ?? '', state.tries + 1, row)
  return { examined: examined.examined, findings: [], repairs: [], open: again }
}

const done = (examined: number, { all: findings, repairs }: Findings): Examined => ({
  examined,
  findings,
  repairs,
  open: null,
})

const hasMoved = async (graph: Graph, key: string, rev: string): Promise<boolean> =>
  (await readRevision(graph, key)) !== rev

function checkIdentity(findings: Findings, world: Stored<'World'>, task: OfTask): void {
  const { key, project, featureId, taskId, slug } = world
  checkKey(findings, 'World', key, worldKey(project, slug))
  const ofTask = taskKey(project, featureId, taskId)
  if (ofTask !== task.key || world.taskKey !== task.key)
    findings.add(
      'key_wrong',
      'World',
      key,
      `says it is of task ${world.taskKey} (${ofTask}), stands below ${task.key}`,
    )
}

type Work = { world: Stored<'World'>; row: WorldRow; task: OfTask; state: WorldState; findings: Findings }

async function examineAll(
  graph: Graph,
  work: Work,
  isTime: () => boolean,
): Promise<{ examined: number; open: boolean }> {
  const { world, state, findings, row } = work
  const of = { ...world, attemptCount: world.attemptCount ?? 0 }
  let examined = 1
  while (state.turn <= world.currentTurn) {
    examined += await examineTurns(graph, work)
    if (!isTime()) return { examined, open: true }
  }
  const { last } = state
  if (last !== null && last.next.length > 0)
    findings.add(
      'turn_chain',
      'Turn',
      last.key,
      `is the newest, and leads to ${last.next}`,
      stepOf(lastTurn, { key: last.key }),
    )
  if (row.turns !== state.turnsFound) await tellStrays(graph, work)
  for (let isLast = row.runs === 0; !isLast; ) {
    isLast = await checkRuns(graph, of, state, findings)
    if (!isLast && !isTime()) return { examined, open: true }
  }
  while (state.attempt <= of.attemptCount) {
    await checkAttempts(graph, of, state, findings)
    if (!isTime()) return { examined, open: true }
  }
  checkCounters(work)
  checkActive(work)
  checkProgress(work)
  return { examined: examined + row.runs + row.attempts, open: false }
}

async function examineTurns(graph: Graph, { world, task, state, findings }: Work): Promise<number> {
  const to = Math.min(world.currentTurn, state.turn + NUMBERS_AT_ONCE - 1)
  const numbers = Array.from({ length: to - state.turn + 1 }, (_, i) => state.turn + i)
  const rows = await readTurns(graph, world.key, numbers)
  const byKey = new Map<string, TurnRow>()
  for (const row of rows) {
    if (byKey.has(row.key)) findings.add('turn_number_doubled', 'Turn', row.key, 'stands twice under its key')
    byKey.set(row.key, row)
  }
  const turns = [...byKey.values()].sort((a, b) => numberIn(a.key) - numberIn(b.key))
  for (const turn of turns) link(turn, state, world.key, findings)
  const { said, examined } = await checkTurns(graph, turns, task.criteria, findings)
  fold(said, state, task.keyOf)
  state.turnsFound += rows.length
  state.turn = to + 1
  return examined
}

const numberIn = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))

/** The chain of the turn numbers present, and what the world keeps of its newest turns. */
function link(
  { key, held, worlds, before, next }: TurnRow,
  state: WorldState,
  of: string,
  findings: Findings,
): void {
  const { last } = state
  const relink = stepOf(linkTurn, {
    worldKey: of,
    key,
    beforeKey: last?.key ?? '',
    before: last === null ? [] : [last.key],
  })
  if (held.number !== numberIn(key))
    findings.add(
      'key_wrong',
      'Turn',
      key,
      `says it is turn ${held.number}`,
      setOf('Turn', key, { number: numberIn(key) }),
    )
  if (worlds.join() !== of)
    findings.add('turn_chain', 'Turn', key, `hangs on ${worlds.length === 0 ? 'no world' : worlds}`, relink)
  if (last !== null && last.next.join() !== key)
    findings.add(
      'turn_chain',
      'Turn',
      last.key,
      `leads to ${last.next.length === 0 ? 'nothing' : last.next}, not to ${key}`,
      relink,
    )
  const expected = last === null ? '' : last.key
  if (before.join() !== expected && (last === null || last.next.join() === key))
    findings.add(
      'turn_chain',
      'Turn',
      key,
      `comes after ${before.length === 0 ? 'nothing' : before}, not ${expected || 'nothing'}`,
      relink,
    )
  state.last = { key, number: numberIn(key), next, digest: String(held.digest) }
  if (typeof held.outcome === 'string') state.outcomes = [...state.outcomes, held.outcome].slice(-OUTCOMES)
  if (Number(held.promiseCount) > 0) {
    state.promisedTurn = numberIn(key)
    state.promisedDigest = String(held.digest)
  }
}

function fold({ ledger, promised }: Said, state: WorldState, keyOf: (key: string) => string): void {
  const known = new Map(state.progress.map(([key, kept]): [string, Progress] => [key, progressOf(kept)]))
  const after = advance(known, ledger, promised, keyOf)
  state.progress = [...after].map(([key, progress]) => [key, progressProperties(progress, 0).kept])
}

function progressOf(kept: string): Progress {
  const read = progressRow.parse(kept)
  if (read === null) throw new Error('what was kept a moment ago is gone')
  return read.progress
}

async function tellStrays(graph: Graph, { world, row, state, findings }: Work): Promise<void> {
  const strays = await readRows(graph, strayTurns, { worldKey: world.key, limit: 20 }, strayRow)
  for (const { key, number } of strays)
    findings.add(
      'turn_number_doubled',
      'Turn',
      key,
      `stands in ${world.key} with number ${number}, under another key`,
      key === null ? null : stepOf(strayTurn, { key }),
    )
  if (strays.length === 0)
    findings.add(
      'world_counters',
      'World',
      world.key,
      `has ${row.turns} turns, ${state.turnsFound} up to currentTurn`,
      row.newest === null || row.newest <= world.currentTurn
        ? null
        : setWorld(world, { currentTurn: row.newest }),
    )
}

const strayRow = z.object({ key: optionalText, number: z.number().nullable() })

function checkCounters({ world, row, state, findings }: Work): void {
  // What is wrong with its turns has been told.
  if (findings.all.some(({ check }) => check === 'turn_number_doubled')) return
  const { last } = state
  const instant = (at: string | null | undefined) => (at == null ? null : canonicalInstant(at))
  const counters: [string, unknown, unknown][] = [
    ['currentTurn', world.currentTurn, last?.number ?? 0],
    ['turnCount', world.turnCount, row.turns],
    ['newestDigest', world.newestDigest, last?.digest],
    ['promisedTurn', world.promisedTurn, state.promisedTurn],
    ['promisedDigest', world.promisedDigest, state.promisedDigest],
    ['outcomes', world.outcomes, state.outcomes],
    ['lastCompletedAt', instant(world.lastCompletedAt), instant(row.latest)],
    ['attemptCount', world.attemptCount ?? 0, row.attempts],
  ]
  // A counter that says more turns than there are is all that tells of a lost one: it stays.
  const hasLostTurns = world.turnCount > row.turns
  for (const [name, says, there] of counters) {
    const wrong = difference(says, there)
    if (wrong === null) continue
    if (hasLostTurns && name !== 'attemptCount') {
      findings.add('world_counters', 'World', world.key, `${name} ${wrong}`)
      continue
    }
    const repair =
      name === 'lastCompletedAt' && row.latest !== null
        ? stepOf(repairWorld, { key: world.key, properties: {}, at: [row.latest] })
        : setWorld(world, { [name]: there ?? null })
    findings.add('world_counters', 'World', world.key, `${name} ${wrong}`, repair)
  }
}

/** Raises the revision as well: a process that remembers the world reads it again. */
const setWorld = (world: Stored<'World'>, properties: Held): Step | null =>
  setOf('World', world.key, { ledgerRev: world.ledgerRev + 1, ...properties })

function checkActive({ world, row, findings }: Work): void {
  const says = [world.activeRunId ?? [], world.activeAttemptId ?? [], world.leased === true].flat()
  const active = [...row.activeRuns, ...row.activeAttempts]
  const there = [...active.map(([id]) => id), active.length > 0]
  if (row.activeRuns.length > 1 || row.activeAttempts.length > 1)
    findings.add(
      'world_active',
      'World',
      world.key,
      `has ${row.activeRuns.length} runs and ${row.activeAttempts.length} attempts that are active`,
    )
  else {
    const wrong = difference(says, there)
    if (wrong === null) return
    const leases = active.map(([, until]) => until)
    const repair = setOf('World', world.key, {
      activeRunId: row.activeRuns[0]?.[0] ?? null,
      activeAttemptId: row.activeAttempts[0]?.[0] ?? null,
      leased: active.length > 0 ? true : null,
      leaseUntil: active.length > 0 ? Math.min(...leases) : null,
      leaseOwners: active.length > 0 ? active.flatMap(([, , owner]) => owner ?? []) : null,
    })
    findings.add(
      'world_active',
      'World',
      world.key,
      `names the active ones, and whether there are any: ${wrong}`,
      repair,
    )
  }
}

const UNSOUND: readonly Check[] = [
  'turn_parts',
  'part_criterion',
  'record_invalid',
  'turn_number_doubled',
  'turn_chain',
  'key_wrong',
]

/** Where each criterion stands, as it is kept and as it is derived from all that the turns said. */
function checkProgress({ world, row, task, state, findings }: Work): void {
  const kept = new Map<string, { rev: number; kept: string }>()
  const standing: Progress[] = []
  // The turns do not say what they said: what is derived of them would say no more.
  const canDerive = task.isSound && !UNSOUND.some((check) => findings.checks.has(check))
  const repair = canDerive ? repairOfProgress(world, state) : null
  for (const [key, text, state, rejections] of row.progress) {
    const read = progressRow.safeParse(text)
    if (!read.success || read.data === null) {
      findings.add('world_progress', 'Criterion', key, `what ${world.key} keeps of it cannot be read`, repair)
      return
    }
    if (kept.has(key)) findings.add('world_progress', 'Criterion', key, `${world.key} keeps it twice`, repair)
    const { progress } = read.data
    const said = difference({ state, rejections }, { state: progress.state, rejections: progress.rejections })
    if (said !== null)
      findings.add(
        'world_progress',
        'Criterion',
        key,
        `the edge of ${world.key} beside what it keeps: ${said}`,
        repair,
      )
    kept.set(key, { rev: read.data.rev, kept: progressProperties(progress, 0).kept })
    standing.push(progress)
  }
  if (!canDerive) return
  const derived = new Map(state.progress)
  for (const key of new Set([...derived.keys(), ...kept.keys()])) {
    const wrong = difference(kept.get(key)?.kept, derived.get(key))
    if (wrong !== null) findings.add('world_progress', 'Criterion', key, `in ${world.key}: ${wrong}`, repair)
  }
  if (!findings.checks.has('world_progress')) checkSummary(findings, world, standing)
  const sum = [...kept.values()].reduce((all, { rev }) => all + rev, 0)
  const wrong = difference(world.progressSum, sum)
  if (wrong !== null && derived.size === kept.size)
    findings.add('world_counters', 'World', world.key, `progressSum ${wrong}`, repair)
}

/** What the world keeps of all of them together. */
function checkSummary(findings: Findings, world: Stored<'World'>, standing: readonly Progress[]): void {
  const summary = summaryOf(standing)
  for (const name of Object.keys(summary) as (keyof ProgressSummary)[]) {
    const wrong = difference(world[name], summary[name])
    if (wrong !== null)
      findings.add(
        'world_counters',
        'World',
        world.key,
        `${name} ${wrong}`,
        setWorld(world, { [name]: summary[name] }),
      )
  }
}

/** All edges anew, of one revision, with what the world keeps of them together. */
function repairOfProgress(world: Stored<'World'>, state: WorldState): Step {
  const rev = world.ledgerRev + 1
  const progress = state.progress.map(([criterion, kept]) => ({ criterion, progress: progressOf(kept) }))
  return stepOf(rewriteProgress, {
    key: world.key,
    properties: {
      ledgerRev: rev,
      progressSum: rev * progress.length,
      ...summaryOf(progress.map((each) => each.progress)),
    },
    progress: progress.map((each) => ({
      criterion: each.criterion,
      ...progressProperties(each.progress, rev),
    })),
  })
}
