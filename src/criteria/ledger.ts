import * as z from 'zod'
import { optionalText as text } from '../graph/columns.ts'
import { readWholeRow } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { CRITERION_STATUSES, PROMISE_STATUSES, SOURCES } from '../turns/record.ts'
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

/** The columns of `criteria/_ledger`, decoded. Of a turn: its number, how much it says, how it ended. */
export const ledgerColumns = {
  turns: z.array(z.tuple([z.number(), z.number(), z.number(), outcomeText.nullable()])),
  criteria: z.array(criterionRow),
  ledger: z.array(ledgerEntry),
  promised: z.array(promiseEntry),
}

const ledgerRow = z.object({ ledgerRev: z.number(), ...ledgerColumns })

export type Ledger = z.output<typeof ledgerRow>

/** Each turn says how many verifications and promises it has: fewer is half of a commit. */
export function ledgerIsWhole({
  turns,
  ledger,
  promised,
}: Pick<Ledger, 'turns' | 'ledger' | 'promised'>): boolean {
  const counted = (i: 1 | 2) => turns.reduce((sum, counts) => sum + counts[i], 0)
  return ledger.length === counted(1) && promised.length === counted(2)
}

/** The whole ledger of a world; null where there is no such world. */
export const readLedger = (graph: Graph, worldKey: string): Promise<Ledger | null> =>
  readWholeRow(
    graph,
    ledger,
    { worldKey, turnNumber: NO_TURN, ledgerUpTo: NO_TURN },
    ledgerRow,
    ledgerIsWhole,
  )

/** Above every turn number. */
export const NO_TURN = 2 ** 31
