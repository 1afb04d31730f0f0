import * as z from 'zod'
import { canonicalInstant } from '../../core/instants.ts'
import { transcriptKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import { optionalText } from '../../graph/model/values.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { refreshDesires } from '../../transcripts/desires.ts'
import { forgetConversation } from './conversation.ts'
import { takeAll } from './piece.ts'
import type { Tally } from './tally.ts'

const conversations = statement('forget/conversations')
const filesCount = statement('forget/files-count')
const turnsCount = statement('forget/transcript-turns-count')
const projectTranscripts = statement('forget/project-transcripts')

/** What stands beside the turns of a project, in the order in which one hangs on another. */
const SUMS = [
  ['Desire', statement('forget/all-desires-go')],
  ['TurnPattern', statement('forget/all-patterns-go')],
  ['ToolUse', statement('forget/all-uses-go')],
  ['Tool', statement('forget/all-tools-go')],
  ['TranscriptFile', statement('forget/all-files-go')],
] as const

const flag = z.boolean().nullable()
const row = z.object({
  key: z.string(),
  isTranscribed: flag,
  lastAt: optionalText,
  agents: z.array(z.tuple([z.string(), z.string().nullable(), flag])),
})

type Found = { sessionKeys: string[]; isTranscribed: boolean; lastMs: number | null }

/** With its agents: the last of them to do anything says when it was last active. */
const conversationOf = ({ key, lastAt, isTranscribed, agents }: z.output<typeof row>): Found => {
  const known = [lastAt, ...agents.map(([, at]) => at)].flatMap((at) => {
    const ms = at === null ? Number.NaN : Date.parse(canonicalInstant(at) ?? '')
    return Number.isNaN(ms) ? [] : [ms]
  })
  return {
    sessionKeys: [key, ...agents.map(([agent]) => agent).sort()],
    isTranscribed: isTranscribed === true || agents.some(([, , isAgents]) => isAgents === true),
    lastMs: known.length === 0 ? null : Math.max(...known),
  }
}

/** Conversations of a project that were last active before an instant; one that does not say when stays. */
async function* going(graph: Graph, project: string, before: string | null): AsyncGenerator<Found> {
  const prefix = transcriptKey(project, '')
  for (let after = ''; ; ) {
    const rows = await readRows(graph, conversations, { prefix, after, limit: PAGE }, row)
    for (const found of rows.map(conversationOf)) {
      if (found.isTranscribed && isBefore(found.lastMs, before)) yield found
    }
    const last = rows.at(-1)
    if (rows.length < PAGE || last === undefined) return
    after = last.key
  }
}

const PAGE = 500

const isBefore = (lastMs: number | null, before: string | null): boolean =>
  before === null || (lastMs !== null && lastMs < Date.parse(before))

type Of = { project: string; before: string | null }

/** @returns whether nothing is left to go */
export async function forgetTranscripts(
  graph: Graph,
  { project, before }: Of,
  { tally, isTime, threshold }: { tally: Tally; isTime: () => boolean; threshold: number },
): Promise<boolean> {
  for await (const { sessionKeys } of going(graph, project, before)) {
    if (!(await forgetConversation(graph, { project, sessionKeys }, { tally, isTime }))) return false
  }
  if (before !== null) {
    await refreshDesires(graph, project, threshold)
    return true
  }
  for (const [label, from] of SUMS) {
    if (!(await takeAll(graph, from, { project }, label, tally, isTime))) return false
  }
  return true
}

const filesRow = z.object({ files: z.number() })
const turnsRow = z.object({ turns: z.number(), steps: z.number() })
const wholeRow = z.object({
  files: z.number(),
  turns: z.number(),
  steps: z.number(),
  tools: z.number(),
  patterns: z.number(),
  uses: z.number(),
  desires: z.number(),
})

/**
 * What would go. With an instant, a turn of two conversations that both go is counted with neither of them, and what
 * was added up of turns is not counted: it goes down.
 */
export async function countTranscripts(graph: Graph, { project, before }: Of, tally: Tally): Promise<void> {
  for await (const { sessionKeys: family } of going(graph, project, before)) {
    tally.add({ TranscriptSession: family.length })
    if (before === null) continue
    const [files] = await readRows(graph, filesCount, { family }, filesRow)
    const [turns] = await readRows(graph, turnsCount, { family }, turnsRow)
    tally.add({
      TranscriptFile: files?.files ?? 0,
      TranscriptTurn: turns?.turns ?? 0,
      Step: turns?.steps ?? 0,
    })
  }
  if (before !== null) return
  const [whole] = await readRows(graph, projectTranscripts, { project }, wholeRow)
  if (whole === undefined) return
  const { files, turns, steps, tools, patterns, uses, desires } = whole
  tally.add({ TranscriptFile: files, TranscriptTurn: turns, Step: steps })
  tally.add({ Tool: tools, TurnPattern: patterns, ToolUse: uses, Desire: desires })
}
