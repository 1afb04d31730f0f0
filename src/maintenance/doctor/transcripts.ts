/** Checks transcript sessions, and compares their turns with the calls. */
import * as z from 'zod'
import { patternKey, toolKey } from '../../core/keys.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { relink, setProperties } from '../../graph/model-statements.ts'
import { toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { CALL_LISTS } from '../../rules/call-lists.ts'
import { ARROW, formatPattern } from '../../transcripts/pattern.ts'
import { countCalls } from '../../transcripts/statement-params.ts'
import { type Examined, keyList, type ToCheck } from './finding.ts'

const repairCalled = statement('doctor/repair-called')

export const SESSION_COLUMNS = {
  hasFile: 'EXISTS { MATCH (x)<-[:HOLDS]-(:TranscriptFile) }',
  isNamed: 'EXISTS { MATCH (x)<-[:TRANSCRIBED_IN]-() }',
  hasAgents: 'EXISTS { MATCH (x)<-[:AGENT_OF]-() }',
  hasTurns: 'EXISTS { MATCH (x)-[:HAS_TURN]->() }',
}

export async function checkSessions({ nodes }: ToCheck): Promise<void> {
  for (const { properties, row, about } of nodes) {
    if (row.hasFile) continue
    if (properties.isTranscribed === true || row.hasTurns)
      about.add('forget_unfinished', 'its transcript was read, but no file contains it')
    else if (!row.isNamed && !row.hasAgents)
      about.add('unattached', 'no file, no turn and no agent leads to it')
  }
}

export const TURN_COLUMNS = {
  holders: '[(x)<-[:HAS_TURN]-(s:TranscriptSession) | s.id]',
  follows: '[(x)-[:FOLLOWS]->(p:TurnPattern) | p.key]',
  called: '[(x)-[c:CALLED]->(k:Tool) | [k.name, c.calls, c.errors]]',
  started: '[(x)-[s:STARTED]->(:TranscriptSession) | s.sequence]',
}
const turnRow = z.object({
  holders: keyList,
  follows: keyList,
  called: z.array(z.tuple([z.string(), z.number(), z.number()])),
  started: z.array(z.number().nullable()),
})

export async function checkTranscriptTurns({ project, nodes }: ToCheck): Promise<void> {
  for (const node of nodes) if (node.isWhole) checkTurn(project, node)
}

function checkTurn(project: string, { key, properties, parts, row, about }: Examined): void {
  const { holders, follows, called, started } = turnRow.parse(row)
  const turn = properties as Stored<'TranscriptTurn'>
  const { sessionId, length, tools, statuses } = turn
  if (!holders.includes(sessionId))
    about.reportDifference('transcript_turn', { label: 'sessionId', actual: sessionId, expected: holders })
  const lengths = CALL_LISTS.map((list) => turn[list].length)
  const equal = CALL_LISTS.map(() => length)
  const label = `length of ${CALL_LISTS}`
  if (about.reportDifference('transcript_turn', { label, actual: equal, expected: lengths })) return
  about.reportDifference('transcript_turn', {
    label: 'positions of subagents that are not positions of calls',
    actual: started.filter((at) => at === null || !Number.isInteger(at) || at < 0 || at >= length),
    expected: [],
  })
  const errors = statuses.flatMap((status, i) => (status === 'error' ? [i] : []))
  about.reportDifference('transcript_turn', {
    label: 'failed calls',
    actual: parts.map(({ properties: call }) => [
      call.sequence,
      call.id,
      call.tool,
      call.project,
      call.sessionId,
      call.begunMs,
    ]),
    expected: errors.map((i) => [i, turn.callIds[i], tools[i], turn.project, sessionId, turn.begunMs]),
  })
  const pattern = findPattern(turn)
  const derived = {
    errors: errors.length,
    parallelSteps: turn.parallelGroups.filter((group) => group > 0).length,
    pattern,
    patternKey: pattern === null ? null : patternKey(project, pattern),
  }
  const sums = countCalls(
    project,
    tools.map((tool, i) => ({ tool, status: statuses[i] ?? '' })),
  )
  const byName = <T extends readonly [string, ...unknown[]]>(rows: readonly T[]) =>
    rows.toSorted(([a], [b]) => (a < b ? -1 : 1))
  about.reportDifference(
    'transcript_turn',
    {
      label: `${Object.keys(derived)},FOLLOWS,CALLED`,
      actual: [
        turn.errors,
        turn.parallelSteps,
        turn.pattern ?? null,
        turn.patternKey ?? null,
        follows,
        byName(called),
      ],
      expected: [
        ...Object.values(derived),
        derived.patternKey === null ? [] : [derived.patternKey],
        byName(sums.map(({ name, calls, errors }) => [name, calls, errors] as const)),
      ],
    },
    () => [
      ...[setProperties('TranscriptTurn', key, derived) ?? []].flat(),
      ...(derived.patternKey === null
        ? []
        : [relink(['TranscriptTurn', key], 'FOLLOWS', ['TurnPattern', derived.patternKey], 'from')]),
      toStep(repairCalled, { key, called: sums }),
    ],
  )
}

/** Names of tools below this length are complete. Longer names may have been cut in the list, and are complete in the pattern. */
const MAX_WHOLE_LENGTH = 180

function findPattern({ tools, pattern }: Stored<'TranscriptTurn'>): string | null {
  if (tools.length === 0) return null
  const isWhole = tools.every((tool) => tool.length < MAX_WHOLE_LENGTH && !tool.includes('\uFFFD'))
  return isWhole ? formatPattern(tools) : (pattern ?? '')
}

export const PATTERN_COLUMNS = { startsWith: '[(x)-[:STARTS_WITH]->(k:Tool) | k.name]' }

/** Checks the link from a pattern to its first tool. */
export async function checkPatterns({ project, nodes }: ToCheck): Promise<void> {
  for (const { key, properties, row, about } of nodes) {
    const startsWith = keyList.parse(row.startsWith)
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
