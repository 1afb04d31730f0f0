import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { patternKey, sessionKey, toolKey, transcriptFileKey, transcriptKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import { type Graph, type Step, stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { patternOf } from '../../transcripts/pattern.ts'
import type { Position } from './cursor.ts'
import { type Finding, Findings } from './finding.ts'
import { checkKey, checkRecord, difference, type Held, heldMap, setOf } from './records.ts'
import { repairUnderLock } from './repair.ts'
import { tell, type Walk, type Walked, walkFrom } from './walked.ts'

const sessions = statement('doctor/sessions')
const turnsOfSession = statement('doctor/transcript-turns')
const stepsOfTurns = statement('doctor/steps')
const files = statement('doctor/files')
const lockTurns = statement('doctor/lock-transcript-turns')
const repairCalled = statement('doctor/repair-called')
const repairFollows = statement('doctor/repair-follows')

const SESSIONS_AT_ONCE = 100
const TURNS_AT_ONCE = 200
const STEPS_AT_ONCE = 4_000
const FILES_AT_ONCE = 500

const texts = z.array(z.string().nullable())

const sessionRow = z.object({
  key: z.string(),
  held: heldMap,
  files: z.number(),
  isNamed: z.boolean(),
  hasAgents: z.boolean(),
  hasTurns: z.boolean(),
})
const turnRow = z.object({
  key: z.string(),
  held: heldMap,
  holders: texts,
  follows: texts,
  called: z.array(z.tuple([z.string(), z.number(), z.number()])),
})
type TurnRow = z.output<typeof turnRow>
const stepRow = z.object({ key: z.string(), labels: z.array(z.string()), held: heldMap, tools: texts })
type StepRow = z.output<typeof stepRow>

const prefixOf = (project: string): string => transcriptKey(project, '')

/** The sessions of a project with their turns and steps. */
export async function walkSessions(
  graph: Graph,
  project: string,
  from: Position,
  { isTime, repair }: Walk,
): Promise<Walked> {
  const { walked, place } = walkFrom(from)
  const prefix = prefixOf(project)
  for (;;) {
    const params = { prefix, after: place.after, limit: SESSIONS_AT_ONCE }
    const rows = await readRows(graph, sessions, params, sessionRow)
    for (const session of rows) {
      if (!isTime()) return walked
      if (place.turn === '') checkSession(session, project, walked)
      if (!(await walkTurns(graph, project, session, place, walked, { isTime, repair }))) return walked
      place.after = session.key
      place.turn = ''
    }
    if (rows.length < SESSIONS_AT_ONCE) return { ...walked, next: null }
  }
}

function checkSession(
  { key, held, files: fileCount, isNamed, hasAgents, hasTurns }: z.output<typeof sessionRow>,
  project: string,
  walked: Walked,
): void {
  const findings = new Findings()
  if (checkRecord(findings, 'TranscriptSession', key, held) && typeof held.id === 'string') {
    checkKey(findings, 'TranscriptSession', key, sessionKeyOf(project, held.id))
  }
  if (fileCount === 0 && (held.isTranscribed === true || hasTurns))
    findings.add('forget_unfinished', 'TranscriptSession', key, 'it was read, and no file holds it')
  else if (fileCount === 0 && !isNamed && !hasAgents)
    findings.add('unattached', 'TranscriptSession', key, 'no file, no turn and no agent leads to it')
  tell(walked, findings, 1)
}

/** A turn may name a session by an id that an import would have shortened. */
const sessionKeyOf = (project: string, id: string): string =>
  id.length > 256 ? sessionKey(project, id) : transcriptKey(project, id)

async function walkTurns(
  graph: Graph,
  project: string,
  session: z.output<typeof sessionRow>,
  place: Position,
  walked: Walked,
  { isTime, repair }: Walk,
): Promise<boolean> {
  for (;;) {
    const params = { sessionKey: session.key, after: place.turn, limit: TURNS_AT_ONCE }
    const readPage = async (from: Graph) => {
      const rows = await readRows(from, turnsOfSession, params, turnRow)
      // A turn that several sessions hold is looked at once.
      const own = rows.filter(({ held, holders }) => isFirst(session.held.id, held.sessionId, holders))
      return { rows, own }
    }
    const { rows, own } = await readPage(graph)
    const seen = await checkTurns(graph, project, own)
    const repairs = repair && seen.repairs.length > 0
    const lock = { statement: lockTurns, params: { keys: own.map(({ key }) => key) } }
    const findings = repairs
      ? await repairUnderLock(graph, lock, async (locked) =>
          checkTurns(locked, project, (await readPage(locked)).own),
        )
      : seen.findings
    walked.findings.push(...findings)
    walked.examined += own.length + own.reduce((sum, { held }) => sum + Number(held.length ?? 0), 0)
    place.turn = rows.at(-1)?.key ?? place.turn
    if (rows.length < TURNS_AT_ONCE) return true
    if (!isTime()) return false
  }
}

const isFirst = (id: unknown, giver: unknown, holders: readonly (string | null)[]): boolean =>
  holders.some((holder) => holder === giver) ? id === giver : id === [...holders].sort()[0]

async function checkTurns(
  graph: Graph,
  project: string,
  turns: readonly TurnRow[],
): Promise<{ findings: Finding[]; repairs: Step[] }> {
  const found: Finding[] = []
  const repairs: Step[] = []
  let some: TurnRow[] = []
  let steps = 0
  const flush = async () => {
    if (some.length === 0) return
    const rows = await readRows(graph, stepsOfTurns, { keys: some.map(({ key }) => key) }, stepRow)
    const byTurn = groupBy(rows, ({ key }) => key)
    for (const turn of some) {
      const findings = new Findings()
      checkTurn(project, turn, byTurn.get(turn.key) ?? [], findings)
      found.push(...findings.all)
      repairs.push(...findings.repairs)
    }
    some = []
    steps = 0
  }
  for (const turn of turns) {
    if (steps > STEPS_AT_ONCE) await flush()
    some.push(turn)
    steps += Number(turn.held.length ?? 0)
  }
  await flush()
  return { findings: found, repairs }
}

function checkTurn(
  project: string,
  { key, held, holders, follows, called }: TurnRow,
  steps: readonly StepRow[],
  findings: Findings,
): void {
  const wrongly = (what: string, says: unknown, there: unknown, repair: Step | null = null) => {
    const wrong = difference(says, there)
    if (wrong !== null) findings.add('transcript_turn', 'TranscriptTurn', key, `${what} ${wrong}`, repair)
    return wrong !== null
  }
  if (!checkRecord(findings, 'TranscriptTurn', key, held)) return
  const turn = storedProperties('TranscriptTurn', held)
  checkKey(findings, 'TranscriptTurn', key, transcriptKey(project, turn.id))
  if (!holders.includes(turn.sessionId)) wrongly('sessionId', turn.sessionId, holders)
  for (const step of steps) checkStep(turn, step, findings)
  if (wrongly('length', turn.length, steps.length)) return
  const ordered = [...steps].sort((a, b) => Number(a.held.sequence) - Number(b.held.sequence))
  if (ordered.some(({ held: step }, i) => step.sequence !== i)) {
    const places = ordered.map(({ held: step }) => step.sequence)
    findings.add('transcript_turn', 'TranscriptTurn', key, `its steps stand at ${places}`)
    return
  }
  const derived = (properties: Held) => setOf('TranscriptTurn', key, properties)
  const ofSteps = ordered.map(({ tools }) => tools.join())
  wrongly('tools', turn.tools, ofSteps, derived({ tools: ofSteps }))
  const failed = steps.filter(({ labels }) => labels.includes('FailedStep')).length
  wrongly('errors', turn.errors, failed, derived({ errors: failed }))
  const parallelSteps = steps.filter(({ held: step }) => step.isParallel === true).length
  wrongly('parallelSteps', turn.parallelSteps, parallelSteps, derived({ parallelSteps }))
  checkCalls(project, turn, called, ordered, findings)
  checkPattern(project, turn, follows, findings)
}

function checkStep(turn: Stored<'TranscriptTurn'>, { labels, held }: StepRow, findings: Findings): void {
  const isFailed = labels.includes('FailedStep')
  const id = String(held.id)
  if (!checkRecord(findings, isFailed ? 'FailedStep' : 'Step', id, held)) return
  if (isFailed !== (held.status === 'error'))
    findings.add('transcript_turn', 'Step', id, `is ${held.status}, and ${isFailed ? 'a' : 'no'} FailedStep`)
  if (!isFailed) return
  const { project, sessionId, begunMs } = turn
  const wrong = difference([held.project, held.sessionId, held.begunMs], [project, sessionId, begunMs])
  if (wrong !== null)
    findings.add('transcript_turn', 'FailedStep', id, `project, sessionId, begunMs: ${wrong}`)
}

/** What reports read instead of the steps. */
function checkCalls(
  project: string,
  { key }: { key: string },
  called: readonly [string, number, number][],
  steps: readonly StepRow[],
  findings: Findings,
): void {
  const sums = new Map<string, [calls: number, errors: number]>()
  for (const { tools, labels } of steps) {
    const tool = tools.join()
    const [calls, errors] = sums.get(tool) ?? [0, 0]
    sums.set(tool, [calls + 1, errors + (labels.includes('FailedStep') ? 1 : 0)])
  }
  const sorted = (rows: [string, number, number][]) => rows.sort(([a], [b]) => (a < b ? -1 : 1))
  const wrong = difference(
    sorted([...called]),
    sorted([...sums].map(([tool, [calls, errors]]) => [tool, calls, errors])),
  )
  if (wrong === null) return
  const repair = stepOf(repairCalled, {
    key,
    called: [...sums].map(([tool, [calls, errors]]) => ({
      key: toolKey(project, tool),
      calls,
      errors,
    })),
  })
  findings.add('transcript_turn', 'TranscriptTurn', key, `CALLED ${wrong}`, repair)
}

/** Names of tools that were cut when they were stored stand whole in the pattern. */
const LONGEST_WHOLE = 180

function checkPattern(
  project: string,
  { key, tools, pattern, patternKey: says }: Stored<'TranscriptTurn'>,
  follows: readonly (string | null)[],
  findings: Findings,
): void {
  const isWhole = tools.every((tool) => tool.length < LONGEST_WHOLE && !tool.includes('\uFFFD'))
  const shape = tools.length === 0 ? null : isWhole ? patternOf(tools) : (pattern ?? '')
  const ofShape = shape === null ? null : patternKey(project, shape)
  const wrong = difference(
    [pattern ?? null, says ?? null, follows],
    [shape, ofShape, ofShape === null ? [] : [ofShape]],
  )
  if (wrong !== null)
    findings.add(
      'transcript_turn',
      'TranscriptTurn',
      key,
      `pattern, patternKey, FOLLOWS: ${wrong}`,
      ofShape === null ? null : stepOf(repairFollows, { key, patternKey: ofShape, pattern: shape }),
    )
}

const fileRow = z.object({ key: z.string(), held: heldMap })

/** How far the files of a project were read. */
export async function walkFiles(graph: Graph, project: string, from: Position): Promise<Walked> {
  const params = { prefix: prefixOf(project), after: from.after, limit: FILES_AT_ONCE }
  const rows = await readRows(graph, files, params, fileRow)
  const findings = new Findings()
  for (const { key, held } of rows) checkFile(project, key, held, findings)
  const last = rows.length < FILES_AT_ONCE ? undefined : rows.at(-1)
  return {
    examined: rows.length,
    findings: findings.all,
    next: last === undefined ? null : { ...from, after: last.key },
  }
}

function checkFile(project: string, key: string, held: Held, findings: Findings): void {
  if (!checkRecord(findings, 'TranscriptFile', key, held)) return
  const { sessionId, path = null } = storedProperties('TranscriptFile', held)
  // Both are kept as an import shortens them, and the key is made of what it was given.
  if (sessionId.length < 200)
    checkKey(findings, 'TranscriptFile', key, transcriptFileKey({ project, sessionId, path }))
}
