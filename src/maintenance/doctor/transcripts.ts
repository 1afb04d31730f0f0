/** Checks transcript sessions, and compares their turns with the calls. */
import * as z from 'zod'
import { groupBy, inChunks } from '../../core/group-by.ts'
import { patternKey, toolKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { relink, selectParts, setProperties } from '../../graph/model-statements.ts'
import { toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { CALL_LISTS } from '../../rules/call-lists.ts'
import { ERROR_TEXT_RULES, keepStoredText } from '../../rules/tool-error.ts'
import { classifyFailure } from '../../transcripts/failure.ts'
import { ARROW, formatPattern } from '../../transcripts/pattern.ts'
import { countCalls } from '../../transcripts/statement-params.ts'
import type { TranscriptState } from '../../transcripts/transcript.ts'
import { type About, type Examined, type Findings, propertyMap, type ToCheck } from './finding.ts'

const failedCalls = selectParts('TranscriptTurn', {})
const dropError = statement('doctor/drop-error')
const repairCalled = statement('doctor/repair-called')

const FAILED_CALLS_AT_ONCE = 4_000

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
  started: z.array(z.number().nullable()),
  rulesVersion: z.number().nullish(),
})
type Links = z.output<typeof linksRow>
const failedRow = z.object({ key: z.string(), properties: propertyMap })
type FailedRow = z.output<typeof failedRow>

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
  for (const some of inChunks(nodes, ({ properties }) => Number(properties.errors), FAILED_CALLS_AT_ONCE)) {
    const keys = some.map(({ key }) => key)
    const failed = await readRows(graph, failedCalls, { keys }, failedRow)
    const byTurn = groupBy(failed, ({ key }) => key)
    for (const turn of some) checkTurn(project, turn, byTurn.get(turn.key) ?? [], findings)
    findings.examined += failed.length
  }
}

function checkTurn(
  project: string,
  { key, properties, row, about }: Examined,
  failed: readonly FailedRow[],
  findings: Findings,
): void {
  const { holders, follows, called, started, rulesVersion } = linksRow.parse(row)
  const turn = properties as Stored<'TranscriptTurn'>
  if (!holders.includes(turn.sessionId))
    about.reportDifference('transcript_turn', {
      label: 'sessionId',
      actual: turn.sessionId,
      expected: holders,
    })
  const outside = started.filter((at) => at === null || !Number.isInteger(at) || at < 0 || at >= turn.length)
  about.reportDifference('transcript_turn', {
    label: 'STARTED.sequence outside of its calls:',
    actual: outside,
    expected: [],
  })
  for (const call of failed) checkFailedCall(turn, call, rulesVersion === ERROR_TEXT_RULES, findings)
  const lengths = Object.fromEntries(CALL_LISTS.map((list) => [list, turn[list].length]))
  const equal = Object.fromEntries(CALL_LISTS.map((list) => [list, turn.length]))
  if (about.reportDifference('transcript_turn', { label: 'length', actual: equal, expected: lengths })) return
  const errors = turn.statuses.flatMap((status, i) => (status === 'error' ? [i] : []))
  const derived = {
    errors: errors.length,
    parallelSteps: turn.parallelGroups.filter((group) => group > 0).length,
  }
  for (const [name, there] of Object.entries(derived)) {
    const repair = () => setProperties('TranscriptTurn', key, { [name]: there })
    about.reportDifference(
      'transcript_turn',
      { label: name, actual: turn[name as keyof typeof derived], expected: there },
      repair,
    )
  }
  about.reportDifference('transcript_turn', {
    label: 'failed calls:',
    actual: failed.map(({ properties: { sequence } }) => Number(sequence)).sort((a, b) => a - b),
    expected: errors,
  })
  checkCalls(project, turn, called, about)
  checkPattern(project, turn, follows, about)
}

function checkFailedCall(
  turn: Stored<'TranscriptTurn'>,
  { key, properties }: FailedRow,
  isReadByRules: boolean,
  findings: Findings,
): void {
  const about = findings.of('FailedCall', `${key}/${properties.sequence}`)
  if (!about.record(properties)) return
  const { error, sequence, tool, id, project, sessionId, begunMs } = properties as Stored<'FailedCall'>
  about.reportDifference('transcript_turn', {
    label: 'id, tool, project, sessionId, begunMs:',
    actual: [id, tool, project, sessionId, begunMs],
    expected: [turn.callIds[sequence], turn.tools[sequence], turn.project, turn.sessionId, turn.begunMs],
  })
  const kept = keepStoredText(tool, error, isReadByRules)
  if (kept === error) return
  const params = { key, sequence, error: kept, failure: classifyFailure(tool, kept) }
  about.add('persons_words', PERSONS_WORDS, () => toStep(dropError, params))
}

/** Checks the sums of calls, which reports read. */
function checkCalls(
  project: string,
  { key, tools, statuses }: Stored<'TranscriptTurn'>,
  called: Links['called'],
  about: About,
): void {
  const sums = countCalls(
    project,
    tools.map((tool, i) => ({ tool, status: statuses[i] ?? '' })),
  )
  const sorted = <T extends readonly [string, ...unknown[]]>(rows: readonly T[]) =>
    rows.toSorted(([a], [b]) => (a < b ? -1 : 1))
  about.reportDifference(
    'transcript_turn',
    {
      label: 'CALLED',
      actual: sorted(called),
      expected: sorted(sums.map(({ name, calls, errors }) => [name, calls, errors] as const)),
    },
    () => toStep(repairCalled, { key, called: sums }),
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

const patternLinks = z.object({ startsWith: z.array(z.string()) })

/** Checks the link from a pattern to its first tool. */
export async function checkPatterns({ project, nodes }: ToCheck): Promise<void> {
  for (const { key, properties, row, about } of nodes) {
    const { startsWith } = patternLinks.parse(row)
    const { pattern } = properties as Stored<'TurnPattern'>
    const [only, ...others] = startsWith
    const isRight = only !== undefined && others.length === 0
    // The name of a tool may contain the arrow, and a long name may have been cut.
    if (isRight && (pattern.startsWith(only) || only.length >= MAX_WHOLE_LENGTH)) continue
    const [first = ''] = pattern.split(ARROW, 1)
    const tool = first.replace('{2+}', '')
    about.reportDifference(
      'transcript_turn',
      { label: 'STARTS_WITH', actual: startsWith, expected: [tool] },
      () => relink(['TurnPattern', key], 'STARTS_WITH', ['Tool', toolKey(project, tool)], 'from'),
    )
  }
}
