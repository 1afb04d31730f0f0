// Reads the artifact files of one repository into plain turns and worlds, as the artifacts contract describes
// them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Entry } from './identity.ts'

type Claim = Entry & { evidence: string | null }
export type Judged = Claim & { status: string }
export type Turn = {
  number: number
  completed: number | null
  coachDecision: string
  promises: Claim[]
  verifications: Judged[]
  issues: { severity: number; category: string; description: string }[] // 0: blocking, 1: should fix, 2: other
}
export type Task = { featureId: string; taskId: string; folder: string; worlds: Turn[][] }

type Json = Record<string, unknown>

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function read(file: string): Json | null {
  if (!existsSync(file)) return null
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Returns the first value that is a non-blank string. */
function text(...values: unknown[]): string | null {
  for (const value of values) if (typeof value === 'string' && value.trim() !== '') return value
  return null
}

const turnFile = /^(player|coach|turn_state)_turn_(\d+)\.json$/

function folders(root: string): string[] {
  const below = readdirSync(root, { withFileTypes: true })
    .filter((e) => e.isDirectory())
    .map((e) => join(root, e.name))
    .sort()
  return [root, ...below.flatMap(folders)]
}

/** Returns the file of that name in the first of a task's folders that has it in the right form. */
function find(dirs: string[], name: string, good: (json: Json) => boolean): Json | null {
  for (const dir of dirs) {
    const json = read(join(dir, name))
    if (json && good(json)) return json
  }
  return null
}

const isCoach = (json: Json) => text(json.decision, json.verdict) !== null
const isPlayer = (json: Json) => !isCoach(json) && !('criteria_verification' in json)
const isTurnState = (json: Json) => typeof json.turn_number === 'number'

function decision(raw: string | null): string {
  if (raw === 'approve' || raw === 'approved') return 'approved'
  if (raw === 'reject' || raw === 'rejected') return 'rejected'
  return raw && ['feedback', 'deferred', 'error'].includes(raw) ? raw : 'unknown'
}

function status(raw: string | null): string {
  if (/^(verified|passed|complete|completed|done)$/.test(raw ?? '')) return 'verified'
  if (/^(rejected|failed)$/.test(raw ?? '')) return 'rejected'
  return /^(pending|not_started|in_progress)$/.test(raw ?? '') ? 'pending' : 'unknown'
}

function verifications(coach: Json | null, state: Json | null): Judged[] {
  const second = isObject(coach?.acceptance_criteria_verification)
    ? coach.acceptance_criteria_verification
    : {}
  for (const list of [objects(coach?.criteria_verification), objects(second.criteria_results)])
    if (list.length > 0)
      return list.map((v) => ({
        id: text(v.criterion_id) ?? '',
        text: text(v.criterion_text),
        status: status(text(v.result, v.status)),
        evidence: text(v.evidence, v.notes),
      }))
  const seed = isObject(state?.acceptance_criteria_status) ? state.acceptance_criteria_status : {}
  return Object.entries(seed).map(([id, raw]) => ({
    id,
    text: null,
    evidence: null,
    status: status(text(raw)),
  }))
}

function promises(player: Json | null): Claim[] {
  return objects(player?.completion_promises).map((p) => ({
    id: text(p.criterion_id, p.ac_id) ?? '',
    text: text(p.criterion_text, p.description),
    evidence: text(p.evidence),
  }))
}

function severity(raw: string | null): number {
  if (/^(blocking|must_fix|critical|major)$/.test(raw ?? '')) return 0
  return /^(should_fix|minor|warning)$/.test(raw ?? '') ? 1 : 2
}

/** Returns the issues of a report, then its findings, which are blocking if the report rejects the turn. */
function issues(coach: Json | null): Turn['issues'] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const rejects = decision(text(coach?.verdict, coach?.decision)) === 'rejected'
  return [
    ...list(coach?.issues).map((raw) =>
      isObject(raw)
        ? {
            severity: severity(text(raw.severity)),
            category: text(raw.category, raw.type) ?? '',
            description: String(raw.description ?? ''),
          }
        : { severity: 2, category: '', description: String(raw) },
    ),
    ...list(coach?.findings).map((raw) => ({
      severity: rejects ? 0 : 2,
      category: '',
      description: String(isObject(raw) ? (raw.locus ?? '') : raw),
    })),
  ]
}

function instant(raw: unknown): number | null {
  if (typeof raw !== 'string') return null
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(raw) ? raw : `${raw}Z`)
  return Number.isNaN(ms) ? null : ms
}

function completed(dirs: string[], n: number, state: Json | null): number | null {
  const checkpoint = objects(find(dirs, 'checkpoints.json', () => true)?.checkpoints)
    .filter((c) => c.turn === n)
    .at(-1)
  return (
    instant(state?.completed_at) ??
    instant(find(dirs, `work_state_turn_${n}.json`, () => true)?.timestamp) ??
    instant(checkpoint?.timestamp)
  )
}

/**
 * Splits turns into runs, oldest first: a new run begins if a turn completed before the last turn with a
 * time.
 */
function worlds(turns: Turn[]): Turn[][] {
  const runs: Turn[][] = []
  let last: number | null = null
  for (const turn of turns) {
    const earlier = turn.completed !== null && last !== null && turn.completed < last
    if (runs.length === 0 || earlier) runs.push([])
    runs.at(-1)!.push(turn)
    last = turn.completed ?? last
  }
  const time = (run: Turn[]) => run.find((t) => t.completed !== null)?.completed ?? 0
  return runs.sort((a, b) => time(a) - time(b))
}

function featureId(taskId: string, dirs: string[], states: (Json | null)[]): string {
  const results = dirs.map((dir) => read(join(dir, 'task_work_results.json')))
  const own = text(...[...states, ...results].map((json) => json?.feature_id))
  if (own) return own
  const beside = dirs.flatMap((dir) => readdirSync(dirname(dir)).map((name) => join(dirname(dir), name)))
  const feature = beside
    .filter((path) => basename(path).startsWith('FEAT-') && existsSync(join(path, 'events.jsonl')))
    .sort()
    .find((path) => {
      const events = readFileSync(join(path, 'events.jsonl'), 'utf8').replaceAll(': ', ':')
      return events.includes(`"task_id":"${taskId}"`)
    })
  return feature ? basename(feature) : 'FEAT-UNKNOWN'
}

export function tasks(root: string): Task[] {
  const byTask = new Map<string, string[]>()
  for (const dir of folders(root)) {
    if (!readdirSync(dir).some((name) => turnFile.test(name))) continue
    const key = dir.replace(/\/autobuild-private\//, '/autobuild/')
    byTask.set(key, [...(byTask.get(key) ?? []), dir])
  }

  return [...byTask.values()].map((dirs) => {
    const taskId = basename(dirs[0]!)
    const found = dirs.flatMap((dir) => readdirSync(dir)).map((name) => turnFile.exec(name)?.[2])
    const numbers = [...new Set(found.filter((n) => n !== undefined).map(Number))].sort((a, b) => a - b)
    const turns: Turn[] = []
    const states: (Json | null)[] = []
    for (const n of numbers) {
      const player = find(dirs, `player_turn_${n}.json`, isPlayer)
      const coach = find(dirs, `coach_turn_${n}.json`, isCoach)
      const state = find(dirs, `turn_state_turn_${n}.json`, isTurnState)
      if (!player && !coach && !state) continue
      states.push(state)
      turns.push({
        number: n,
        completed: completed(dirs, n, state),
        coachDecision: decision(text(coach?.decision, coach?.verdict, state?.coach_decision)),
        promises: promises(player),
        verifications: verifications(coach, state),
        issues: issues(coach),
      })
    }
    return { featureId: featureId(taskId, dirs, states), taskId, folder: dirs[0]!, worlds: worlds(turns) }
  })
}
