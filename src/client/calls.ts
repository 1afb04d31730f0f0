/** Makes the calls of a client from the table of operations. */
import { type OperationName, operations } from '../operations/table.ts'
import type { CallOptions, TurngraphClient } from './client.ts'

export type Calls = Pick<TurngraphClient, OperationName>

/** A call for every operation, made by one function: what each takes and answers, the table of operations says. */
export const callsBy = (
  call: (name: OperationName, input: unknown, options?: CallOptions) => Promise<unknown>,
): Calls =>
  Object.fromEntries(
    Object.keys(operations).map((name) => [
      name,
      (input: unknown, options?: CallOptions) => call(name as OperationName, input, options),
    ]),
  ) as unknown as Calls

/** Asks an operation whose name is only known at run time. */
export const callOn = (
  client: TurngraphClient,
  name: OperationName,
  input: unknown,
  options?: CallOptions,
): Promise<unknown> =>
  (client[name] as (input: unknown, options?: CallOptions) => Promise<unknown>)(input, options)
