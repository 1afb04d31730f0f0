import type { Graph, Run } from '../../graph/port.ts'
import type { Kind, RecordOf } from '../export/records.ts'
import type { Conflict } from './conflicts.ts'

/** A batch of records on its way into the graph: one transaction. */
export type Work = { graph: Graph; run: Run; token: string; made: Made }

/**
 * What this transaction has made: nothing can hang on it yet, so there is nothing to look for, which is most of what a
 * batch would ask.
 */
export type Made = {
  tasks: Set<string>
  criteria: Set<string>
  /** With how many turns and attempts were written into each. */
  worlds: Map<string, { turns: number; attempts: number }>
}

/** A record and its place in the batch. */
export type Given<K extends Kind> = { index: number; record: RecordOf<K> }

/** What came of the records of a kind: those that were not created stood there already, but for conflicts. */
export type Restored = { created: number; conflicts: Conflict[] }
