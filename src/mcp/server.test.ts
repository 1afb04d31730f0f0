import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { TurngraphError } from '../core/errors.ts'
import type { Scope } from '../operations/operation.ts'
import type { CallOperation } from './call-operation.ts'
import { createMcpServer } from './server.ts'

const EVIDENCE = 'only the Coach reads this'

/** A service that knows the connection by a token with every scope. */
const refuseTurn: CallOperation = async () => {
  throw new TurngraphError('turn_conflict', 'Turn 1 has another record.', {
    details: { stored: { coachFeedback: EVIDENCE }, given: { playerSummary: 'Built it' } },
  })
}

async function captureAs(scopes: Scope[]): Promise<string> {
  const [own, other] = InMemoryTransport.createLinkedPair()
  const server = createMcpServer({
    version: '1.0.0',
    scopes: new Set(scopes),
    toolList: 'default',
    call: refuseTurn,
    subscriptions: null,
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([server.connect(own as never), client.connect(other)])
  onTestFinished(() => client.close())
  const turn = { feature_id: 'F', task_id: 'T', turn_number: 1, player_summary: 'Built it' }
  const { isError, content } = await client.callTool({ name: 'capture_turn_state', arguments: turn })
  expect(isError).toBe(true)
  return JSON.stringify(content)
}

test('a conflict does not show the stored record to a connection of a Player', async () => {
  expect(await captureAs(['judge'])).toContain(EVIDENCE)
  const shown = await captureAs(['play'])
  expect(shown).toContain('turn_conflict')
  expect(shown).toContain('Built it')
  expect(shown).not.toContain(EVIDENCE)
})
