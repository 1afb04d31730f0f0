import * as z from 'zod'
import { turnKey } from '../../core/keys.ts'
import { readRows, untilWhole } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import type { Standing } from './criteria-snapshot.ts'
import { ledgerEntry } from './ledger.ts'
import { type CriterionState, finalKeys, type LedgerEntry, type RecentEntry } from './state.ts'

const entries = statement('criteria/entries')

const merged = statement('criteria/merged')

const mergedRow = z.object({ key: z.string(), mergedInto: z.string() })

const entriesRow = z.object({
  turn: z.number(),
  verificationCount: z.number(),
  ledger: z.array(ledgerEntry),
})

/**
 * What is shown of each criterion's history, by its key and in order: of a long world only the turns that hold the
 * newest entries are read, so that a history costs the same after 50 and after 1,000 turns.
 *
 * @returns null where the entries are not those that the standing counts: a turn was superseded between the two reads
 */
export async function readHistories(
  graph: Graph,
  standing: Standing,
  states: readonly CriterionState[],
): Promise<ReadonlyMap<string, LedgerEntry[]> | null> {
  const ledger = standing.ledger ?? (await readEntries(graph, standing, turnsShown(standing, states)))
  if (ledger === null) return null
  const histories = new Map<string, LedgerEntry[]>(states.map(({ key }) => [key, []]))
  for (const entry of ledger.toSorted((a, b) => a.turn - b.turn || a.position - b.position)) {
    histories.get(entry.criterionKey)?.push(entry)
  }
  return [...histories].every(([key, history]) => endsWith(history, standing.progress.get(key)?.recent ?? []))
    ? histories
    : null
}

const endsWith = (history: readonly LedgerEntry[], recent: readonly RecentEntry[]): boolean =>
  history.length >= recent.length &&
  recent.every(({ turn, status }, i) => {
    const entry = history[history.length - recent.length + i]
    return entry?.turn === turn && entry.status === status
  })

function turnsShown({ progress }: Standing, states: readonly CriterionState[]): number[] {
  const turns = states.flatMap(({ key, contestedInTurn }) => [
    ...(progress.get(key)?.recent ?? []).map(({ turn }) => turn),
    ...(contestedInTurn === null ? [] : [contestedInTurn]),
  ])
  return [...new Set(turns)]
}

async function readEntries(
  graph: Graph,
  { worldKey, taskKey }: Standing,
  turns: readonly number[],
): Promise<LedgerEntry[]> {
  if (turns.length === 0) return []
  const turnKeys = turns.map((turn) => turnKey(worldKey, turn))
  const [rows, merges] = await Promise.all([
    untilWhole(
      () => readRows(graph, entries, { turnKeys }, entriesRow),
      (found) =>
        found.length === turns.length &&
        found.every(({ ledger, verificationCount }) => ledger.length === verificationCount),
    ),
    readMerges(graph, taskKey),
  ])
  const keyOf = finalKeys(merges)
  return rows.flatMap(({ ledger }) =>
    ledger.map((entry) => ({ ...entry, criterionKey: keyOf(entry.criterionKey) })),
  )
}

/** What merged into what, of a task's criteria. */
export const readMerges = (graph: Graph, taskKey: string): Promise<z.output<typeof mergedRow>[]> =>
  readRows(graph, merged, { taskKey }, mergedRow)
