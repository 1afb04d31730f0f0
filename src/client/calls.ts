/** Creates the calls of a client from the table of operations. */
import type * as z from 'zod'
import { checkSignal } from '../core/join-signals.ts'
import type { Graph } from '../graph/port.ts'
import type { Call, Operation } from '../operations/operation.ts'
import {
  type OperationInput,
  type OperationName,
  type OperationOutput,
  operationNames,
  operations,
} from '../operations/table.ts'
import type { CallOptions, Calls } from './client.ts'

type Parsed = { [N in OperationName]: z.output<(typeof operations)[N]['input']> }
type Answers = { [N in OperationName]: z.output<(typeof operations)[N]['output']> }

/** The table of operations with types by name, so that the compiler also checks code that is generic in the name. */
export const operationsByName: {
  readonly [N in OperationName]: Pick<Operation, 'wholeGraph'> & {
    input: z.ZodType<Parsed[N]>
    output: z.ZodType<Answers[N]>
    run(graph: Graph, input: Parsed[N] & { project: string }, call: Call): Promise<Answers[N]>
  }
} = operations

type CallAny = <N extends OperationName>(
  name: N,
  input: OperationInput<N>,
  options?: CallOptions,
) => Promise<OperationOutput<N>>

export function callsBy(call: CallAny): Calls {
  const calls = Object.fromEntries(
    operationNames.map((name) => [
      name,
      async (input: OperationInput<OperationName>, options?: CallOptions) => {
        checkSignal(options?.signal)
        return call(name, input, options)
      },
    ]),
  )
  if (!hasEveryCall(calls)) throw new Error('An operation has no call.')
  return calls
}

const hasEveryCall = (calls: object): calls is Calls =>
  operationNames.every((name) => Object.hasOwn(calls, name))

export const callOn = <N extends OperationName>(
  client: Calls,
  name: N,
  input: OperationInput<N>,
  options?: CallOptions,
): Promise<OperationOutput<N>> => client[name](input, options)
