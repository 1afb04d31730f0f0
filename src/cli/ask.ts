import type { TurngraphClient } from '../client/client.ts'
import type { OperationName } from '../operations/table.ts'
import { printJson } from './output.ts'
import { reportUnknownTask } from './unknown-task.ts'

type Answer<N extends OperationName> = Awaited<ReturnType<TurngraphClient[N]>>

/**
 * Asks one operation for a command that only reads, prints its wire form for `--json`, else lets `print` show it. Of a
 * task that is not known there is nothing to show.
 *
 * @param part what of the wire form is printed: all of it
 */
export async function ask<N extends OperationName>(
  name: N,
  input: Parameters<TurngraphClient[N]>[0],
  { project, json }: { project?: string | undefined; json?: boolean | undefined },
  print: (answer: Answer<N>) => Promise<void> | void,
  part: (wire: unknown) => unknown = (wire) => wire,
): Promise<void> {
  const [{ operations }, { toWire }, { withClient }] = await Promise.all([
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
    import('./connect.ts'),
  ])
  const answer = await withClient({ project, readsOnly: true }, (client) => {
    const call = client[name] as (input: unknown) => Promise<Answer<N>>
    return call(input)
  })
  const isUnknown = reportUnknownTask(answer as object, { byLoops: name === 'recoverPromises' })
  if (json) printJson(part(toWire(operations[name].output, answer)))
  else if (!isUnknown) await print(answer)
}

/** The list alone: what has no pages needs no frame. */
export const itemsOf = (wire: unknown): unknown => (wire as { items: unknown }).items
