/** Calls operations through a client, and returns answers in their wire form, which the views of the page take. */
import { callOn } from '../client/calls.ts'
import type { TurngraphClient } from '../client/client.ts'
import { type OnWire, toWire } from '../core/wire-form.ts'
import {
  type OperationInput,
  type OperationName,
  type OperationOutput,
  operations,
} from '../operations/table.ts'
import { type Page, readPages } from './require-project.ts'

export type Answer<N extends OperationName> = OnWire<OperationOutput<N>>

export async function askInWireForm<N extends OperationName>(
  client: TurngraphClient,
  name: N,
  input: OperationInput<N>,
): Promise<Answer<N>> {
  return inWireForm(name, await callOn(client, name, input))
}

export async function askForAll<N extends OperationName>(
  client: TurngraphClient,
  name: N,
  input: OperationInput<N>,
): Promise<Answer<N>> {
  const read = (window: object) => callOn(client, name, { ...input, ...window }) as Promise<Page<unknown>>
  return inWireForm(name, await readPages({}, read))
}

/** Converts an answer to its wire form. The same table defines the types of both forms. */
export const inWireForm = <N extends OperationName>(name: N, answer: unknown): Answer<N> =>
  toWire(operations[name].output, answer) as Answer<N>
