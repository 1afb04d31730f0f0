/** Checks sessions of transcripts, and their turns against the steps. */
import * as z from 'zod'
import { groupBy, inChunks } from '../../core/group-by.ts'
import { patternKey, toolKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { relink, selectParts, setProperties } from '../../graph/model-statements.ts'
import { toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { ERROR_TEXT_RULES, keepStoredText } from '../../rules/tool-error.ts'
import { classifyFailure } from '../../transcripts/failure.ts'
import { formatPattern } from '../../transcripts/pattern.ts'
import type { TranscriptState } from '../../transcripts/transcript.ts'
import { type About, type Examined, type Findings, propertyMap, type ToCheck } from './finding.ts'

const stepsOfTurns = selectParts('TranscriptTurn', { tools: '[(x)-[:USED]->(k:Tool) | k.name]' })
const dropError = statement('doctor/drop-error')
const repairCalled = statement('doctor/repair-called')

const STEPS_AT_ONCE = 4_000

const sessionRow = z.object({
  hasFile: z.boolean(),
  isNamed: z.boolean(),
  hasAgents: z.boolean(),
  hasTurns: z.boolean(),
})

export async function checkSessions({ nodes }: ToCheck): Promise<void> {
  for (const { properties, row, about } of nodes) {
    const { hasFile, isNamed, hasAgents, hasTurns } = sessionRow.parse(row)
    if (hasFile) continue
    if (properties.isTranscribed === true || hasTurns)
      about.add('forget_unfinished', 'it was read, and no file holds it')
    else if (!isNamed && !hasAgents) about.add('unattached', 'no file, no turn and no agent leads to it')
  }
}

const texts = z.array(z.string().nullable())
const linksRow = z.object({
  holders: texts,
  follows: texts,
  called: z.array(z.tuple([z.string(), z.number(), z.number()])),
  rulesVersion: z.number().nullish(),
})
type Links = z.output<typeof linksRow>
const stepRow = z.object({
  key: z.string(),
  labels: z.array(z.string()),
  properties: propertyMap,
  tools: texts,
})
type StepRow = z.output<typeof stepRow>

const PERSONS_WORDS = 'it holds a text that may be what a person typed'

/** Checks the unfinished calls of transcript files, which contain error texts, too. */
export async function checkTranscriptFiles({ nodes }: ToCheck): Promise<void> {
  for (const { key, properties, about } of nodes) {
    const { state, rulesVersion } = properties as Stored<'TranscriptFile'>
    const cleaned = JSON.stringify(dropPersonsWords(JSON.parse(state), rulesVersion === ERROR_TEXT_RULES))
    if (cleaned !== JSON.stringify(JSON.parse(state)))
      about.add('persons_words', PERSONS_WORDS, () =>
        setProperties('TranscriptFile', key, { state: cleaned }),
      )
  }
}

function dropPersonsWords(state: TranscriptState, isReadByRules: boolean): TranscriptState {
  const cleanedTurn = <T extends { steps: { tool: string; error: string | null }[] }>(turn: T): T => ({
    ...turn,
    steps: turn.steps.map((step) =>
      step.error === null
        ? step
        : { ...step, error: keepStoredText(step.tool, step.error, isReadByRules) || null },
    ),
  })
  return {
    ...state,
    threads: state.threads.map((thread) => ({
      ...thread,
      open: thread.open && cleanedTurn(thread.open),
      unsettled: thread.unsettled.map(cleanedTurn),
      held: thread.held.map(cleanedTurn),
    })),
  }
}

export async function checkTranscriptTurns({ graph, project, nodes, findings }: ToCheck): Promise<void> {
  for (const some of inChunks(nodes, ({ properties }) => Number(properties.length), STEPS_AT_ONCE)) {
    const keys = some.map(({ key }) => key)
    const steps = await readRows(graph, stepsOfTurns, { keys }, stepRow)
    const byTurn = groupBy(steps, ({ key }) => key)
    for (const turn of some) checkTurn(project, turn, byTurn.get(turn.key) ?? [], findings)
    findings.examined += steps.length
  }
}

function checkTurn(
  project: string,
  { key, properties, row, about }: Examined,
  steps: readonly StepRow[],
  findings: Findings,
): void {
  const { holders, follows, called, rulesVersion } = linksRow.parse(row)
  const turn = properties as Stored<'TranscriptTurn'>
  if (!holders.includes(turn.sessionId))
    about.reportDifference('transcript_turn', {
      label: 'sessionId',
      actual: turn.sessionId,
      expected: holders,
    })
  for (const step of steps) checkStep(turn, step, rulesVersion === ERROR_TEXT_RULES, findings)
  if (
    about.reportDifference('transcript_turn', {
      label: 'length',
      actual: turn.length,
      expected: steps.length,
    })
  )
    return
  const ordered = [...steps].sort((a, b) => Number(a.properties.sequence) - Number(b.properties.sequence))
  const places = ordered.map(({ properties }) => properties.sequence)
  if (places.some((place, i) => place !== i)) {
    about.add('transcript_turn', `its steps stand at ${places}`)
    return
  }
  const derived = {
    tools: ordered.map(({ tools }) => tools.join()),
    errors: steps.filter(isFailed).length,
    parallelSteps: steps.filter(({ properties }) => properties.isParallel === true).length,
  }
  for (const [name, there] of Object.entries(derived)) {
    const repair = () => setProperties('TranscriptTurn', key, { [name]: there })
    about.reportDifference(
      'transcript_turn',
      { label: name, actual: turn[name as keyof typeof derived], expected: there },
      repair,
    )
  }
  checkCalls(project, key, called, ordered, about)
  checkPattern(project, turn, follows, about)
}

const isFailed = ({ labels }: StepRow): boolean => labels.includes('FailedStep')

function checkStep(
  turn: Stored<'TranscriptTurn'>,
  step: StepRow,
  isReadByRules: boolean,
  findings: Findings,
): void {
  const { key, properties } = step
  const about = findings.of(isFailed(step) ? 'FailedStep' : 'Step', String(properties.id))
  if (!about.record(properties)) return
  if (isFailed(step) !== (properties.status === 'error'))
    about.add('transcript_turn', `is ${properties.status}, and ${isFailed(step) ? 'a' : 'no'} FailedStep`)
  if (!isFailed(step)) return
  const says = [properties.project, properties.sessionId, properties.begunMs]
  const there = [turn.project, turn.sessionId, turn.begunMs]
  about.reportDifference('transcript_turn', {
    label: 'project, sessionId, begunMs:',
    actual: says,
    expected: there,
  })
  const { error, sequence, tool } = properties as Stored<'FailedStep'>
  const kept = keepStoredText(tool, error, isReadByRules)
  if (kept === error) return
  const params = { key, sequence, error: kept, failure: classifyFailure(tool, kept) }
  about.add('persons_words', PERSONS_WORDS, () => toStep(dropError, params))
}

/** Checks the sums of calls, which reports read instead of the steps. */
function checkCalls(
  project: string,
  key: string,
  called: Links['called'],
  steps: readonly StepRow[],
  about: About,
): void {
  const sums = [...groupBy(steps, ({ tools }) => tools.join())].map(
    ([tool, own]) => [tool, own.length, own.filter(isFailed).length] as const,
  )
  const sorted = <T extends readonly [string, ...unknown[]]>(rows: readonly T[]) =>
    rows.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const repair = () =>
    toStep(repairCalled, {
      key,
      called: sums.map(([tool, calls, errors]) => ({ key: toolKey(project, tool), calls, errors })),
    })
  about.reportDifference(
    'transcript_turn',
    { label: 'CALLED', actual: sorted(called), expected: sorted(sums) },
    repair,
  )
}

/** Names of tools below this length are complete. Longer names may have been cut in the list, and are complete in the pattern. */
const MAX_WHOLE_LENGTH = 180

function checkPattern(
  project: string,
  { key, tools, pattern, patternKey: says }: Stored<'TranscriptTurn'>,
  follows: Links['follows'],
  about: About,
): void {
  const isWhole = tools.every((tool) => tool.length < MAX_WHOLE_LENGTH && !tool.includes('\uFFFD'))
  const shape = tools.length === 0 ? null : isWhole ? formatPattern(tools) : (pattern ?? '')
  const ofShape = shape === null ? null : patternKey(project, shape)
  const repair = () =>
    ofShape === null
      ? null
      : [
          relink(['TranscriptTurn', key], 'FOLLOWS', ['TurnPattern', ofShape], 'from'),
          ...[setProperties('TranscriptTurn', key, { pattern: shape, patternKey: ofShape }) ?? []].flat(),
        ]
  const there = [shape, ofShape, ofShape === null ? [] : [ofShape]]
  about.reportDifference(
    'transcript_turn',
    {
      label: 'pattern, patternKey, FOLLOWS:',
      actual: [pattern ?? null, says ?? null, follows],
      expected: there,
    },
    repair,
  )
}
