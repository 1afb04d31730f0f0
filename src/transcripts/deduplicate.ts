import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { patternKey } from '../core/keys.ts'
import { optionalNumber, optionalText, textList } from '../graph/columns.ts'
import { decodeRow } from '../graph/decode.ts'
import { type Run, stepOf } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { NEVER_MS, type StoredTurn } from './statement-params.ts'
import type { Summed } from './sums.ts'

const knownTurns = statement('transcripts/known-turns')
const forgetParts = statement('transcripts/forget-parts')

const knownTurn = z.object({
  key: z.string(),
  length: optionalNumber,
  sessionId: optionalText,
  fileKey: optionalText,
  pattern: optionalText,
  begunMs: optionalNumber,
  tools: textList,
})

type Winners = {
  turns: StoredTurn[]
  /** What they said so far. */
  replaced: [project: string, Summed][]
  /** The former shapes of turns that are written anew. */
  patterns: string[]
}

/** Of copies of a turn, the one with more calls gives the steps, whatever came first; then the lesser session. */
export async function winnersOf(run: Run, turns: readonly StoredTurn[]): Promise<Winners> {
  const keys = [...new Set(turns.map(({ key }) => key))].sort()
  const rows = await run(stepOf(knownTurns, { keys, token: randomUUID() }))
  const stand = new Map(rows.map((row) => [String(row.key), decodeRow(knownTurns, knownTurn, row)]))
  const winners = new Map<string, StoredTurn>()
  for (const turn of turns) {
    const best = winners.get(turn.key) ?? stand.get(turn.key)
    if (best === undefined || gives(turn, best)) winners.set(turn.key, turn)
  }
  const replaced = [...winners.values()].flatMap(({ key, project, turn }) => {
    const { length = null, pattern = null, begunMs, tools = [] } = stand.get(key) ?? {}
    return length === null
      ? []
      : [{ key, project, said: { length, pattern, begunMs: begunMs ?? NEVER_MS, tools }, turn }]
  })
  if (replaced.length > 0) await run(stepOf(forgetParts, { keys: replaced.map(({ key }) => key) }))
  const patterns = replaced.flatMap(({ project, said: { pattern }, turn }) =>
    pattern === null || turn.pattern === pattern ? [] : [patternKey(project, pattern)],
  )
  return {
    turns: [...winners.values()],
    replaced: replaced.map(({ project, said }) => [project, said]),
    patterns: [...new Set(patterns)],
  }
}

type Copy = { length: number | null; sessionId: string | null; fileKey: string | null }

/** The same file again: it has grown, a result has come, or it was replaced. */
const gives = (turn: StoredTurn, best: Copy): boolean =>
  best.length === null ||
  turn.fileKey === best.fileKey ||
  turn.length > best.length ||
  (turn.length === best.length && turn.sessionId < (best.sessionId ?? ''))
