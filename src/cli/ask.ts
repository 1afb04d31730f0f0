/** Calls an operation for a command: connects, reads its pages, prints the answer as JSON or as text, and reports unknown tasks. */
import type { CallOptions } from '../client/client.ts'
import { EXIT } from '../core/exit-codes.ts'
import type { OperationInput, OperationName, OperationOutput } from '../operations/table.ts'
import { printJson, printNote } from './output.ts'
import { type Page, readPages, requireProject, type Window } from './require-project.ts'

export type Frame = { project?: string | undefined; json?: boolean | undefined }

export type AskOptions<N extends OperationName> = {
  /** Requested page; without limit and cursor, all pages as one. Undefined if the operation has no pages. */
  window?: Window | undefined
  /** Selects the printed part of the wire form; default: all of it. */
  part?: ((wire: unknown, answer: OperationOutput<N>) => unknown) | undefined
  /** Runs before the answer is printed in either form. */
  beside?: (answer: OperationOutput<N>) => void
  call?: CallOptions
}

/** Operations that loops call before their first turn: a task without a record is no failure. */
const ASKED_BY_LOOPS: readonly OperationName[] = ['recoverPromises', 'loadTurnContinuationContext']

export async function ask<N extends OperationName>(
  name: N,
  input: OperationInput<N>,
  { project, json }: Frame,
  print: (answer: OperationOutput<N>, wire: () => unknown) => Promise<void> | void,
  { window, part = (wire) => wire, beside, call }: AskOptions<N> = {},
): Promise<void> {
  const { operations } = await import('../operations/table.ts')
  const { toWire } = await import('../core/wire-form.ts')
  const { withClient } = await import('./connect.ts')
  const { callOn } = await import('../client/calls.ts')
  const { scope, output } = operations[name]
  const answer = (await withClient({ project, readsOnly: scope !== 'write' }, async (client) => {
    const read = (bounds: object) =>
      callOn(client, name, { ...input, ...bounds }, call) as Promise<Page<unknown>>
    const all: Partial<Page<unknown>> = await (window === undefined ? read({}) : readPages(window, read))
    if (all.items?.length === 0 && project !== undefined) await requireProject(client, project)
    return all
  })) as OperationOutput<N> & Partial<Page<unknown>> & TaskAnswer
  if (answer.taskKnown === false) {
    if (answer.taskMessage !== undefined) printNote(answer.taskMessage)
    if (!ASKED_BY_LOOPS.includes(name)) process.exitCode = EXIT.notFound.code
  }
  beside?.(answer)
  const wire = () => part(toWire(output, answer), answer)
  if (json) return printJson(wire())
  // A task without a record has nothing to print except the context of its first turn.
  if (answer.taskKnown !== false || name === 'loadTurnContinuationContext') await print(answer, wire)
  if (answer.nextCursor == null) return
  printNote(part === takeItems ? 'More: --limit 0 shows all of them.' : `More: --cursor ${answer.nextCursor}`)
}

type TaskAnswer = { taskKnown?: boolean; taskMessage?: string | undefined }

/** Selects the items. An answer without pages needs no frame. */
export const takeItems = (wire: unknown): unknown => (wire as { items: unknown }).items
