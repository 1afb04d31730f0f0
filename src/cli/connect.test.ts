import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { TurngraphError } from '../core/errors.ts'
import { serverOr } from './connect.ts'

/** Returns a function that fails once for each process that holds the graph, and then succeeds. `null` is an unknown process. */
function openAfter(holders: (number | null)[]): () => Promise<string> {
  const left = [...holders]
  return async () => {
    const holder = left.shift()
    if (holder === undefined) return 'opened'
    throw new TurngraphError('store_unavailable', `held by ${holder}`, { details: { held_by: holder } })
  }
}

const connect = (holders: (number | null)[]) =>
  serverOr({ dataFolder: path.join(tmpdir(), 'turngraph-nothing'), token: null }, openAfter(holders), {
    serverMs: 0,
    holderMs: ({ details }) => (details.held_by === null ? 90 : 180),
  })

test('a command waits while other commands open the graph one after the other', async () => {
  await expect(connect([1, 1, null, 2, 2, null, 3, 3])).resolves.toBe('opened')
})

test.each([[1], [null]])('a command fails if process %s keeps the graph open', async (holder) => {
  await expect(connect(Array(100).fill(holder))).rejects.toThrow(`held by ${holder}`)
})
