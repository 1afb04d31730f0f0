/** Reads the tokens of turns (contract: doors.md): the sum over linked transcript turns, or the usage in the record. */
import * as z from 'zod'
import { groupBy, inChunks } from '../../core/group-by.ts'
import { turnKey, turnOfSuperseded } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { CLAUDE_CODE } from '../../rules/agents.ts'
import {
  addTokens,
  chooseTurn,
  eachKind,
  type LinkedTurn,
  NO_TOKENS,
  splitByModel,
  type TokenCounts,
} from '../../rules/turn-tokens.ts'
import { optionalText, textList } from '../../rules/values.ts'
import { instantRow } from '../record/rows.ts'
import { turnUsage } from '../record/usage.ts'

const sessionsOfWorlds = statement('turns/sessions-of-worlds')
const agentsOfSessions = statement('transcripts/related-sessions', 'agents')
const startersOfSessions = statement('transcripts/related-sessions', 'starters')
const turnsOfSessions = statement('transcripts/turns-of-sessions', 'current')
const withdrawnOfSessions = statement('transcripts/turns-of-sessions', 'withdrawn')
const tokensOfSessions = statement('transcripts/tokens-of-sessions')

/** Tokens of a turn by agent and model; both are null if the record reports the tokens. */
export type TokenPart = TokenCounts & { agent: string | null; model: string | null }

export type TurnTokens = {
  number: number
  source: 'transcripts' | 'record' | null
  parts: TokenPart[]
}

const SESSIONS_PER_STATEMENT = 500

/** Maximum depth of subagents that start subagents. */
const MAX_DEPTH = 8

const usageText = optionalText.transform((text) => (text === null ? null : turnUsage.parse(JSON.parse(text))))
const turnRow = z.object({ worldKey: z.string(), number: z.number(), usage: usageText, sessions: textList })
const relatedRow = z.object({ session: z.string(), related: z.string() })
const linkRow = z.object({
  session: z.string(),
  key: z.string(),
  number: z.number(),
  completedAt: instantRow,
})
const tokensRow = z.object({
  agent: optionalText,
  key: z.string(),
  begunMs: z.number(),
  models: textList,
  modelTokens: z.array(z.number()),
  sessions: textList,
})

/** Returns the turns of each world, ascending. A world without turns is missing. */
export async function readTurnTokens(
  graph: Graph,
  worldKeys: readonly string[],
): Promise<ReadonlyMap<string, TurnTokens[]>> {
  const turns = await readRows(graph, sessionsOfWorlds, { keys: [...worldKeys] }, turnRow)
  const parts = await readTranscriptTokens(graph, new Set(turns.flatMap(({ sessions }) => sessions)))
  const toTokens = ({ worldKey, number, usage }: z.output<typeof turnRow>): TurnTokens => {
    const transcribed = parts.get(turnKey(worldKey, number))
    const reported = usage === null ? [] : [sumUsage(usage)]
    const source = transcribed !== undefined ? 'transcripts' : usage !== null ? 'record' : null
    return { number, source, parts: transcribed ?? reported }
  }
  const byWorld = groupBy(
    turns.toSorted((a, b) => a.number - b.number),
    ({ worldKey }) => worldKey,
  )
  return new Map([...byWorld].map(([key, own]) => [key, own.map(toTokens)]))
}

/** Adds up the tokens of turns; null if the tokens of none of them are known. */
export function sumTurnTokens(turns: readonly TurnTokens[]): TokenCounts | null {
  const known = turns.filter(({ source }) => source !== null)
  if (known.length === 0) return null
  const sum = { ...NO_TOKENS }
  for (const part of known.flatMap(({ parts }) => parts)) addTokens(sum, part)
  return sum
}

export async function readWorldTokens(
  graph: Graph,
  worldKey: string,
): Promise<{ tokens: TokenCounts | null; turnTokens: (TokenCounts & { turn: number })[] }> {
  const turns = (await readTurnTokens(graph, [worldKey])).get(worldKey) ?? []
  const turnTokens = turns.flatMap((each) => {
    const sum = sumTurnTokens([each])
    return sum === null ? [] : [{ turn: each.number, ...sum }]
  })
  return { tokens: sumTurnTokens(turns), turnTokens }
}

/** Reads the tokens. A subagent counts for the turn of its session. Reads all sessions of a turn, because a fork may share it. */
async function readTranscriptTokens(
  graph: Graph,
  linked: ReadonlySet<string>,
): Promise<ReadonlyMap<string, TokenPart[]>> {
  const { reached } = await readRelated(graph, agentsOfSessions, linked)
  const rows = await readChunks(graph, tokensOfSessions, reached, tokensRow)
  const transcribed = new Map(rows.map((row) => [row.key, row]))
  const sharing = new Set(rows.flatMap(({ sessions }) => sessions))
  const { reached: all, related: starters } = await readRelated(graph, startersOfSessions, sharing)
  const turnsOf = await readLinkedTurns(graph, all)
  const turnsOfFamilies = new Map(
    [...sharing].map((session) => {
      const family = [...listReachable(session, starters)]
      return [session, family.flatMap((each) => turnsOf.get(each) ?? [])]
    }),
  )
  const parts = new Map<string, TokenPart[]>()
  for (const row of transcribed.values()) {
    const turns = new Map<string, LinkedTurn>()
    for (const turn of row.sessions.flatMap((session) => turnsOfFamilies.get(session) ?? [])) {
      // A turn that was withdrawn and captured again as before is not withdrawn.
      const id = `${turn.key}@${turn.endMs}`
      if (turns.get(id)?.isWithdrawn !== false) turns.set(id, turn)
    }
    if (turns.size === 0) continue
    const { key, isWithdrawn } = chooseTurn([...turns.values()], row.begunMs)
    if (isWithdrawn) continue
    const own = parts.get(key) ?? []
    parts.set(key, own)
    for (const tokens of splitByModel(row.models, row.modelTokens))
      addPart(own, { agent: row.agent ?? CLAUDE_CODE, ...tokens })
  }
  return parts
}

/** Returns the turns, also withdrawn ones, that were worked on in each session. */
async function readLinkedTurns(
  graph: Graph,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, LinkedTurn[]>> {
  const current = await readChunks(graph, turnsOfSessions, sessions, linkRow)
  const withdrawn = await readChunks(graph, withdrawnOfSessions, sessions, linkRow)
  const toLink = (isWithdrawn: boolean) => (row: z.output<typeof linkRow>) => ({
    ...{ session: row.session, key: turnOfSuperseded(row.key), number: row.number, isWithdrawn },
    endMs: row.completedAt === null ? null : Date.parse(row.completedAt),
  })
  const links = [...current.map(toLink(false)), ...withdrawn.map(toLink(true))]
  return groupBy(links, ({ session }) => session)
}

/** Reads the sessions that some sessions lead to, directly or through others. Includes the given ones. */
async function readRelated(
  graph: Graph,
  from: Statement,
  sessions: ReadonlySet<string>,
): Promise<{ reached: string[]; related: ReadonlyMap<string, string[]> }> {
  const pairs: z.output<typeof relatedRow>[] = []
  const reached = new Set([...sessions].sort())
  let newest = [...reached]
  for (let depth = 0; newest.length > 0 && depth < MAX_DEPTH; depth++) {
    const found = await readChunks(graph, from, newest, relatedRow)
    pairs.push(...found)
    newest = [...new Set(found.map((row) => row.related))].filter((key) => !reached.has(key))
    for (const key of newest) reached.add(key)
  }
  const bySession = groupBy(pairs, ({ session }) => session)
  const related = new Map([...bySession].map(([session, own]) => [session, own.map((pair) => pair.related)]))
  return { reached: [...reached], related }
}

function listReachable(
  session: string,
  related: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set([session])
  for (const each of reached) for (const next of related.get(each) ?? []) reached.add(next)
  return reached
}

async function readChunks<S extends z.ZodType>(
  graph: Graph,
  from: Statement,
  keys: readonly string[],
  row: S,
): Promise<z.output<S>[]> {
  const rows: z.output<S>[] = []
  for (const some of inChunks(keys, SESSIONS_PER_STATEMENT))
    rows.push(...(await readRows(graph, from, { keys: some }, row)))
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
    addTokens(
      sum,
      eachKind((kind) => usage?.[kind] ?? 0),
    )
  return sum
}
