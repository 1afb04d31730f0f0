/**
 * Reads the tokens of the turns of worlds (contract: doors.md, "Who and how much"): the sum over the linked transcript
 * turns, or the usage that the record reports.
 */
import * as z from 'zod'
import { turnKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { CLAUDE_CODE } from '../../rules/agents.ts'
import {
  addTokens,
  chooseTurn,
  type LinkedTurn,
  NO_TOKENS,
  splitByModel,
  type TokenCounts,
} from '../../rules/turn-tokens.ts'
import { optionalText, textList } from '../../rules/values.ts'
import { instantRow } from '../record/rows.ts'
import { turnUsage } from '../record/usage.ts'

const sessionsOfWorlds = statement('turns/sessions-of-worlds')
const agentsOfSessions = statement('transcripts/agents-of-sessions')
const turnsOfSessions = statement('transcripts/turns-of-sessions')
const tokensOfSessions = statement('transcripts/tokens-of-sessions')

/** Tokens of a turn by agent and model; both are null if the record reports the tokens. */
export type TokenPart = TokenCounts & { agent: string | null; model: string | null }

export type TurnTokens = {
  number: number
  /** Null if the tokens are not known. */
  source: 'transcripts' | 'record' | null
  parts: TokenPart[]
}

/** Number of sessions that one statement reads. */
const SESSIONS_PER_STATEMENT = 500

/** Maximum depth of subagents that start subagents. */
const MAX_DEPTH = 8

const usageText = optionalText.transform((text) => (text === null ? null : turnUsage.parse(JSON.parse(text))))
const turnRow = z.object({ worldKey: z.string(), number: z.number(), usage: usageText, sessions: textList })
const agentRow = z.object({ session: z.string(), subagent: z.string() })
const linkRow = z.object({
  session: z.string(),
  worldKey: z.string(),
  number: z.number(),
  completedAt: instantRow,
})
const tokensRow = z.object({
  session: z.string(),
  agent: optionalText,
  key: z.string(),
  begunMs: z.number(),
  models: textList,
  modelTokens: z.array(z.number()),
})

/** Returns the turns of each world, ascending. A world without turns is missing. */
export async function readTurnTokens(
  graph: Graph,
  worldKeys: readonly string[],
): Promise<ReadonlyMap<string, TurnTokens[]>> {
  const turns = await readRows(graph, sessionsOfWorlds, { keys: [...worldKeys] }, turnRow)
  const parts = await readTranscriptTokens(graph, new Set(turns.flatMap(({ sessions }) => sessions)))
  const byWorld = new Map<string, TurnTokens[]>()
  for (const { worldKey, number, usage } of turns.sort((a, b) => a.number - b.number)) {
    const transcribed = parts.get(turnKey(worldKey, number))
    const reported = usage === null ? [] : [sumUsage(usage)]
    const source = transcribed !== undefined ? 'transcripts' : usage !== null ? 'record' : null
    const own = { number, source, parts: transcribed ?? reported } as const
    byWorld.set(worldKey, [...(byWorld.get(worldKey) ?? []), own])
  }
  return byWorld
}

/** Adds up the tokens of turns; null if the tokens of none of them are known. */
export function sumTurnTokens(turns: readonly TurnTokens[]): TokenCounts | null {
  const known = turns.filter(({ source }) => source !== null)
  if (known.length === 0) return null
  const sum = { ...NO_TOKENS }
  for (const part of known.flatMap(({ parts }) => parts)) addTokens(sum, part)
  return sum
}

/** Returns the tokens of transcripts by the key of their turn. A subagent counts for the turn of its session. */
async function readTranscriptTokens(
  graph: Graph,
  linked: ReadonlySet<string>,
): Promise<ReadonlyMap<string, TokenPart[]>> {
  const starters = await readSubagents(graph, linked)
  const sessions = [...starters.keys()]
  const turnsOf = new Map<string, LinkedTurn[]>()
  for (const { session, worldKey, number, completedAt } of await readChunks(
    graph,
    turnsOfSessions,
    sessions,
    linkRow,
  )) {
    const endMs = completedAt === null ? null : Date.parse(completedAt)
    turnsOf.set(session, [...(turnsOf.get(session) ?? []), { key: turnKey(worldKey, number), number, endMs }])
  }
  // Collects the linked turns of each transcript turn from all of its sessions, because forks share transcript turns.
  const transcribed = new Map<string, { row: z.output<typeof tokensRow>; turns: Map<string, LinkedTurn> }>()
  for (const row of await readChunks(graph, tokensOfSessions, sessions, tokensRow)) {
    const found = transcribed.get(row.key) ?? { row, turns: new Map<string, LinkedTurn>() }
    transcribed.set(row.key, found)
    for (const session of [row.session, ...(starters.get(row.session) ?? [])])
      for (const turn of turnsOf.get(session) ?? []) found.turns.set(turn.key, turn)
  }
  const parts = new Map<string, TokenPart[]>()
  for (const { row, turns } of transcribed.values()) {
    if (turns.size === 0) continue
    const key = chooseTurn([...turns.values()], row.begunMs)
    const own = parts.get(key) ?? []
    parts.set(key, own)
    for (const tokens of splitByModel(row.models, row.modelTokens))
      addPart(own, { agent: row.agent ?? CLAUDE_CODE, ...tokens })
  }
  return parts
}

/** Finds the subagents of sessions. Maps each session to the sessions that started it, directly or through others. */
async function readSubagents(
  graph: Graph,
  linked: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const starters = new Map([...linked].sort().map((key) => [key, new Set<string>()]))
  let newest = [...starters.keys()]
  for (let depth = 0; newest.length > 0 && depth < MAX_DEPTH; depth++) {
    const found = await readChunks(graph, agentsOfSessions, newest, agentRow)
    newest = [...new Set(found.map(({ subagent }) => subagent))].filter((key) => !starters.has(key))
    for (const { session, subagent } of found) {
      const own = starters.get(subagent) ?? new Set()
      starters.set(subagent, own)
      for (const starter of [session, ...(starters.get(session) ?? [])]) own.add(starter)
    }
  }
  return starters
}

async function readChunks<S extends z.ZodType>(
  graph: Graph,
  from: Statement,
  keys: readonly string[],
  row: S,
): Promise<z.output<S>[]> {
  const rows: z.output<S>[] = []
  for (let at = 0; at < keys.length; at += SESSIONS_PER_STATEMENT)
    rows.push(...(await readRows(graph, from, { keys: keys.slice(at, at + SESSIONS_PER_STATEMENT) }, row)))
  return rows
}

function addPart(parts: TokenPart[], added: TokenPart): void {
  const found = parts.find(({ agent, model }) => agent === added.agent && model === added.model)
  if (found === undefined) parts.push({ ...added })
  else addTokens(found, added)
}

/** Adds up the reported tokens of Player and Coach. A missing number counts as 0. */
function sumUsage({ player, coach }: z.output<typeof turnUsage>): TokenPart {
  const sum = { agent: null, model: null, ...NO_TOKENS }
  for (const usage of [player, coach])
    addTokens(sum, {
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
      cacheReadTokens: usage?.cacheReadTokens ?? 0,
      cacheCreationTokens: usage?.cacheCreationTokens ?? 0,
    })
  return sum
}
