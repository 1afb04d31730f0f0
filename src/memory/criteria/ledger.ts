import * as z from 'zod'
import { readWholeRow } from '../../graph/decode.ts'
import {
  CRITERION_STATUSES,
  PROMISE_STATUSES,
  SOURCES,
  optionalText as text,
} from '../../graph/model/values.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { criterionRow, outcomeText } from './rows.ts'
import type { LedgerEntry, PromiseEntry } from './state.ts'

const ledger = statement('criteria/ledger')

/** An entry's columns: turn, place in its list, criterion, label, status, source, form, substantiated, evidence. */
export const ledgerEntry = z
  .tuple([
    z.number(),
    z.number(),
    z.string(),
    z.string(),
    z.enum(CRITERION_STATUSES),
    z.enum(SOURCES),
    z.enum(['status', 'entry']),
    z.boolean(),
    text,
  ])
  .transform(
    ([turn, position, criterionKey, label, status, source, form, substantiated, evidence]): LedgerEntry => ({
      turn,
      position,
      criterionKey,
      label,
      status,
      source,
      form,
      substantiated,
      evidence,
    }),
  )

const promiseEntry = z
  .tuple([z.number(), z.number(), z.string(), z.string(), z.enum(PROMISE_STATUSES)])
  .transform(
    ([turn, position, criterionKey, label, status]): PromiseEntry => ({
      turn,
      position,
      criterionKey,
      label,
      status,
    }),
  )

const ledgerTurn = z
  .tuple([
    z.number(),
    z.string(),
    z.number(),
    z.number(),
    outcomeText.nullable(),
    z.array(ledgerEntry),
    z.array(promiseEntry),
  ])
  .transform(([turn, digest, verificationCount, promiseCount, outcome, entries, promised]) => ({
    turn,
    digest,
    verificationCount,
    promiseCount,
    outcome,
    entries,
    promised,
  }))

/** The columns of `criteria/_ledger`, decoded: each turn with all that it says, and how much that should be. */
export const ledgerColumns = {
  turnsFound: z.number(),
  turns: z.array(ledgerTurn),
  criteria: z.array(criterionRow),
}

const ledgerRow = z.object({
  ledgerRev: z.number(),
  turnCount: z.number(),
  deleted: z.boolean(),
  ...ledgerColumns,
})

type LedgerRow = z.output<typeof ledgerRow>
type LedgerTurns = Pick<LedgerRow, 'turnsFound' | 'turns' | 'criteria'>

/** All entries of a world, with its criteria and the revision at which they were read. */
export type Ledger = Pick<LedgerRow, 'ledgerRev' | 'criteria'> & {
  ledger: LedgerEntry[]
  promised: PromiseEntry[]
}

/**
 * Whether what was read is of one moment. A turn's parts never change, so each turn must have as many as it says; and
 * where a commit or a supersede was seen in part, there are fewer or more turns than the world says, one number twice,
 * or an entry of a criterion that is not there yet.
 */
export function isLedgerConsistent(
  { turnsFound, turns, criteria }: LedgerTurns,
  turnCount: number,
  except: number | null = null,
): boolean {
  const keys = new Set(criteria.map(({ key }) => key))
  return (
    turnsFound === turnCount &&
    new Set(turns.map(({ turn }) => turn)).size === turns.length &&
    turns.every(
      ({ turn, verificationCount, promiseCount, entries, promised }) =>
        turn === except ||
        (entries.length === verificationCount &&
          promised.length === promiseCount &&
          [...entries, ...promised].every(({ criterionKey }) => keys.has(criterionKey))),
    )
  )
}

export const ledgerEntriesIn = ({ turns }: Pick<LedgerTurns, 'turns'>): LedgerEntry[] =>
  turns.flatMap(({ entries }) => entries)

export const promiseEntriesIn = ({ turns }: Pick<LedgerTurns, 'turns'>): PromiseEntry[] =>
  turns.flatMap(({ promised }) => promised)

/**
 * The whole ledger of a world; null where there is no such world.
 *
 * @param except a turn whose record may have lost parts: it is written anew
 */
export async function readLedger(
  graph: Graph,
  worldKey: string,
  except: number | null = null,
): Promise<Ledger | null> {
  const params = { worldKey, turnNumber: NO_TURN, ledgerUpTo: NO_TURN }
  // The turns of a world that is being forgotten go one after another: the write says that it is deleted.
  const row = await readWholeRow(
    graph,
    ledger,
    params,
    ledgerRow,
    (found) => found.deleted || isLedgerConsistent(found, found.turnCount, except),
  )
  if (row === null) return null
  const { ledgerRev, criteria } = row
  return { ledgerRev, criteria, ledger: ledgerEntriesIn(row), promised: promiseEntriesIn(row) }
}

/** Above every turn number. */
export const NO_TURN = 2 ** 31
