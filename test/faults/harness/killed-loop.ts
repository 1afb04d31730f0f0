import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTurngraphClient } from '../../../src/client/create.ts'
import type { AutobuildEvent } from '../../../src/langchain/index.ts'
import type { TurnState } from '../../../src/memory/record/record.ts'

const script = fileURLToPath(new URL('../../support/autobuild-process.ts', import.meta.url))

/** Runs the loop in a separate process. */
async function loopOn(
  store: string,
  killedIn = 0,
): Promise<{ events: AutobuildEvent[]; signal: string | null }> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, store, String(killedIn)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')])
  const lines = out.split('\n').filter((line) => line !== '')
  return { events: lines.map((line) => JSON.parse(line)), signal: child.signalCode }
}

async function turnsIn(store: string): Promise<TurnState[]> {
  const client = createTurngraphClient({ store, project: 'shop' })
  try {
    return (await client.listTurns({ worldSlug: 'w' })).items
  } finally {
    await client.close()
  }
}

/** @param storeOf returns an empty store in the form of TURNGRAPH_STORE */
export function survivesItsDeath(storeOf: () => Promise<string>): void {
  test('after a kill in turn 3 and a restart, the loop continues at turn 3 without a loss', async () => {
    const store = await storeOf()
    const killed = await loopOn(store, 3)
    expect(killed.signal).toBe('SIGKILL')
    expect(killed.events.at(-1)).toMatchObject({ type: 'context', role: 'player', turn: 3 })
    const before = await turnsIn(store)
    expect(before.map(({ turnNumber }) => turnNumber)).toEqual([1, 2])

    const { events } = await loopOn(store)
    expect(events.find(({ type }) => type === 'turn')).toMatchObject({ turn: 3 })
    expect(events.at(-1)).toMatchObject({ type: 'finished', outcome: 'approved', turn: 3 })
    const after = await turnsIn(store)
    expect(after.slice(0, 2)).toEqual(before)
    expect(after[2]).toMatchObject({ turnNumber: 3, mode: 'recovering_state', coachDecision: 'approved' })
    expect(after).toHaveLength(3)
  })
}
