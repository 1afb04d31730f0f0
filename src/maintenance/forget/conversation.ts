import * as z from 'zod'
import { patternKey, toolKey, transcriptKey } from '../../core/keys.ts'
import { decodeRow, readRows } from '../../graph/decode.ts'
import { optionalText, textList } from '../../graph/model/values.ts'
import { type Graph, type Run, stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { Sums } from '../../transcripts/sums.ts'
import { goneOf, inOnePiece, NODES_AT_ONCE } from './piece.ts'
import type { Counts, Tally } from './tally.ts'

const filesGo = statement('forget/files-go')
const turnsLeft = statement('forget/transcript-turns')
const holdTurns = statement('forget/hold-transcript-turns')
const forgetParts = statement('transcripts/forget-parts')
const turnsGo = statement('forget/transcript-turns-go')
const stepsGo = statement('forget/steps-go')
const turnsLetGo = statement('forget/turns-let-go')
const turnsPassOn = statement('forget/turns-pass-on')
const failuresPassOn = statement('forget/failures-pass-on')
const filesOfSessions = statement('forget/files-of-sessions')
const patternsGo = statement('forget/patterns-go')
const desiresGo = statement('forget/desires-go')
const toolsGo = statement('forget/tools-go')
const sessionNaming = statement('forget/session-naming')
const linksGo = statement('forget/links-go')
const sessionGoes = statement('forget/session-goes')
const sessionIsNamed = statement('forget/session-is-named')

/** A session and those of its agents: they go together. */
export type Conversation = { project: string; sessionKeys: string[] }

type Going = { tally: Tally; isTime: () => boolean }

/**
 * Takes a conversation from the graph: first how far its files were read, so that an import of one of them begins anew
 * instead of going on behind turns that are gone; then its turns, with what was added up of them; then its sessions.
 * Turns that another session holds, too, become that one's.
 *
 * @returns whether all of it is gone
 */
export async function forgetConversation(
  graph: Graph,
  { project, sessionKeys }: Conversation,
  going: Going,
): Promise<boolean> {
  const { tally, isTime } = going
  const token = crypto.randomUUID()
  await inOnePiece(graph, tally, async (run) => {
    const rows = await run({ statement: filesGo, params: { keys: sessionKeys, token } })
    return { TranscriptFile: goneOf(filesGo, rows) }
  })
  for (const sessionKey of sessionKeys) {
    if (!(await forgetTurns(graph, { project, sessionKeys, sessionKey }, going))) return false
  }
  for (const sessionKey of sessionKeys) {
    if (!isTime()) return false
    await inOnePiece(graph, tally, (run) => forgetSession(run, sessionKey))
  }
  return true
}

const leftRow = z.object({ key: z.string(), length: z.number() })

async function forgetTurns(
  graph: Graph,
  of: Conversation & { sessionKey: string },
  { tally, isTime }: Going,
): Promise<boolean> {
  const { sessionKey } = of
  while (isTime()) {
    const rows = await readRows(graph, turnsLeft, { sessionKey, limit: NODES_AT_ONCE }, leftRow)
    if (rows.length === 0) return true
    let keys: string[] = []
    let steps = 0
    for (const { key, length } of rows.concat({ key: '', length: Number.POSITIVE_INFINITY })) {
      if (keys.length > 0 && steps + length > NODES_AT_ONCE) {
        if (!isTime()) return false
        if (steps > NODES_AT_ONCE && !(await thinOut(graph, keys[0] ?? '', of, tally, isTime))) return false
        const some = keys.sort()
        await inOnePiece(graph, tally, (run) => turnsPiece(run, some, of))
        keys = []
        steps = 0
      }
      keys.push(key)
      steps += length + 1
    }
  }
  return false
}

const goneRow = z.object({ gone: z.number() })

/** A turn of very many steps loses all but the last of them first, unless it only passes to another session. */
async function thinOut(
  graph: Graph,
  turnKey: string,
  { sessionKeys }: Conversation,
  tally: Tally,
  isTime: () => boolean,
): Promise<boolean> {
  for (;;) {
    if (!isTime()) return false
    let gone = 0
    const done = await inOnePiece(graph, tally, async (run) => {
      const [held] = await hold(run, [turnKey], sessionKeys)
      if (held === undefined || held.others.length > 0) return null
      const rows = await run({ statement: stepsGo, params: { turnKey, limit: NODES_AT_ONCE } })
      gone = rows[0] === undefined ? 0 : decodeRow(stepsGo, goneRow, rows[0]).gone
      return { Step: gone }
    })
    if (!done || gone < NODES_AT_ONCE) return true
  }
}

const heldTurn = z.object({
  key: z.string(),
  length: z.number(),
  pattern: optionalText,
  begunMs: z.number(),
  tools: textList,
  sessionId: optionalText,
  others: z.array(z.tuple([z.string(), z.string(), z.number()])),
})
type HeldTurn = z.output<typeof heldTurn>

async function hold(run: Run, keys: string[], family: string[]): Promise<HeldTurn[]> {
  const rows = await run({ statement: holdTurns, params: { keys, family, token: crypto.randomUUID() } })
  return rows.map((row) => decodeRow(holdTurns, heldTurn, row))
}

async function turnsPiece(run: Run, keys: string[], of: Conversation): Promise<Counts> {
  const held = await hold(run, keys, of.sessionKeys)
  const shared = held.filter(({ others }) => others.length > 0)
  const own = held.filter(({ others }) => others.length === 0)
  if (shared.length > 0) await passOn(run, shared, of)
  if (own.length === 0) return {}
  const ownKeys = own.map(({ key }) => key)
  const steps = await countSteps(run, ownKeys)
  await run({ statement: forgetParts, params: { keys: ownKeys } })
  const turns = goneOf(turnsGo, await run({ statement: turnsGo, params: { keys: ownKeys } }))
  const sums = new Sums()
  for (const turn of own) sums.add(of.project, turn, -1)
  const tools = own.flatMap((turn) => turn.tools)
  return { TranscriptTurn: turns, Step: steps, ...(await settle(run, sums, of.project, own, tools)) }
}

const stepCount = statement('forget/steps-count')

async function countSteps(run: Run, keys: string[]): Promise<number> {
  const [row] = await run({ statement: stepCount, params: { keys } })
  return Number(row?.steps ?? 0)
}

/** What was added up of the turns goes down, and what nothing is left of goes. */
async function settle(
  run: Run,
  sums: Sums,
  project: string,
  turns: readonly HeldTurn[],
  tools: readonly string[],
): Promise<Counts> {
  let uses = 0
  for (const step of sums.steps(crypto.randomUUID())) {
    const [row] = await run(step)
    uses += Number(row?.forgotten ?? 0)
  }
  const patterns = [...new Set(turns.flatMap(({ pattern }) => pattern ?? []))]
  const patternKeys = patterns.map((pattern) => patternKey(project, pattern)).sort()
  const gone = (await run(stepOf(patternsGo, { keys: patternKeys }))).map(({ key }) => String(key))
  const desires = gone.length === 0 ? [] : await run(stepOf(desiresGo, { keys: gone }))
  const toolKeys = [...new Set(tools)].map((tool) => toolKey(project, tool)).sort()
  return {
    ToolUse: uses,
    TurnPattern: gone.length,
    Desire: goneOf(desiresGo, desires),
    Tool: goneOf(toolsGo, await run(stepOf(toolsGo, { keys: toolKeys }))),
  }
}

/** They are a kept session's from now on: the first by name, as where two give a turn alike. */
async function passOn(run: Run, turns: readonly HeldTurn[], { sessionKeys }: Conversation): Promise<void> {
  const heirs = turns.flatMap(({ key, others }) => {
    const [heir] = others.toSorted(([, a], [, b]) => (a < b ? -1 : 1))
    return heir === undefined ? [] : [{ key, heirKey: heir[0], sessionId: heir[1], index: heir[2] }]
  })
  const keys = [...new Set(heirs.map(({ heirKey }) => heirKey))]
  const files = await run(stepOf(filesOfSessions, { keys }))
  const fileOf = new Map(files.map(({ key, fileKey }) => [String(key), String(fileKey)]))
  const giver = new Map(turns.map(({ key, sessionId }) => [key, sessionId]))
  const batch = {
    turns: heirs.map(({ heirKey, ...turn }) => ({ ...turn, fileKey: fileOf.get(heirKey) ?? null })),
  }
  // Only those that the session which goes had given: the others are what they were.
  const given = { turns: batch.turns.filter(({ key }) => wasGivenBy(giver.get(key) ?? null, sessionKeys)) }
  if (given.turns.length > 0) {
    await run(stepOf(turnsPassOn, { batch: given }))
    await run(stepOf(failuresPassOn, { batch: given }))
  }
  await run(stepOf(turnsLetGo, { keys: heirs.map(({ key }) => key), family: sessionKeys }))
}

/** A session's id is the last part of its key. */
const wasGivenBy = (sessionId: string | null, family: readonly string[]): boolean =>
  sessionId === null || family.some((key) => key.endsWith(transcriptKey('', sessionId)))

async function forgetSession(run: Run, sessionKey: string): Promise<Counts> {
  await run({ statement: linksGo, params: { sessionKey } })
  const [row] = await run({ statement: sessionNaming, params: { sessionKey } })
  if (Number(row?.named ?? 0) > 0) {
    await run({ statement: sessionIsNamed, params: { sessionKey } })
    return {}
  }
  const gone = await run({ statement: sessionGoes, params: { sessionKey } })
  return { TranscriptSession: goneOf(sessionGoes, gone) }
}
