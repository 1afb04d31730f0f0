/** Chooses which copy of a turn is stored. Forks repeat the turns of their session, and a file that grew repeats its own. */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { patternKey, splitSessionId } from '../core/keys.ts'
import { decodeRow } from '../graph/decode.ts'
import { type Run, toStep } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { optionalNumber, optionalText } from '../rules/values.ts'
import { readNewestRecords } from './progress.ts'
import type { StoredTurn } from './statement-params.ts'

const lockTurns = statement('transcripts/lock-turns')
const forgetParts = statement('transcripts/forget-parts')

/** A stored turn. A turn that was just created by the lock has only a key. */
const lockedTurn = z.object({
  key: z.string(),
  length: optionalNumber,
  sessionId: optionalText,
  fileKey: optionalText,
  pattern: optionalText,
  status: optionalText,
})

type Deduplicated = {
  chosen: StoredTurn[]
  /** Keys of patterns that only the replaced record followed. */
  patterns: string[]
}

/**
 * Chooses between copies of a turn. In several files of one session, the file with the newest record counts, because the session
 * continued there. If both end at the same time, an ended copy replaces an open one. In several sessions, the copy with more
 * calls counts, in any order of the imports. If both have equally many, the session that sorts first counts.
 */
export async function deduplicate(run: Run, turns: readonly StoredTurn[]): Promise<Deduplicated> {
  const keys = [...new Set(turns.map(({ key }) => key))].sort()
  const rows = await run(toStep(lockTurns, { keys, token: randomUUID() }))
  const existing = new Map(rows.map((row) => [String(row.key), decodeRow(lockTurns, lockedTurn, row)]))
  const moved = turns.flatMap((turn) => {
    const { fileKey = null, sessionId } = existing.get(turn.key) ?? {}
    return fileKey !== null && fileKey !== turn.fileKey && sessionId === turn.sessionId ? [fileKey] : []
  })
  const newest = moved.length === 0 ? null : await readNewestRecords(run, [...new Set(moved)])
  const newestOf = ({ fileKey, sessionId }: Pick<Copy, 'fileKey' | 'sessionId'>): number | undefined =>
    newest?.get(fileKey ?? '')?.get(splitSessionId(sessionId ?? '').session)
  const chosen = new Map<string, StoredTurn>()
  for (const turn of turns) {
    const stored = existing.get(turn.key)
    const best = chosen.get(turn.key) ?? (stored && { ...stored, newestMs: newestOf(stored), turn: stored })
    if (best === undefined || isBetter(turn, best)) chosen.set(turn.key, turn)
  }
  const patterns = new Set<string>()
  const rewritten: string[] = []
  for (const { key, project, turn } of chosen.values()) {
    const { length = null, pattern = null } = existing.get(key) ?? {}
    if (length === null) continue
    rewritten.push(key)
    if (pattern !== null && turn.pattern !== pattern) patterns.add(patternKey(project, pattern))
  }
  if (rewritten.length > 0) await run(toStep(forgetParts, { keys: rewritten }))
  return { chosen: [...chosen.values()], patterns: [...patterns] }
}

type Copy = {
  length: number | null
  sessionId: string | null
  fileKey: string | null
  newestMs?: number | undefined
  turn: { status: string | null }
}

/** Checks whether a turn is better than the best so far. A new reading of the same file is: it grew, or was replaced. */
function isBetter(turn: StoredTurn, best: Copy): boolean {
  if (best.length === null || turn.fileKey === best.fileKey) return true
  const { newestMs = turn.newestMs } = best
  if (turn.sessionId === best.sessionId && turn.newestMs !== newestMs) return turn.newestMs > newestMs
  if (turn.length !== best.length) return turn.length > best.length
  if (turn.sessionId !== best.sessionId) return turn.sessionId < (best.sessionId ?? '')
  return best.turn.status === 'open' && turn.turn.status !== 'open'
}
