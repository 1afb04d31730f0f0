import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import { Neo4jGraph } from '../../src/graph/neo4j.ts'
import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'

/**
 * Breaks connections between the handshake and the end of the login, as a leaving member of a cluster does.
 */

describeOn(neo4jLts, (store) => {
  const clientBehind = async (logins: number) => {
    const graph = await store.open()
    await graph.close()
    const url = await breakingLogins(logins)
    const client = inProcessClient({
      graph: new Neo4jGraph({ url, user: 'neo4j', password: null, database: 'neo4j' }),
      project: 'shop',
    })
    onTestFinished(() => client.close())
    return client
  }
  const turn = { featureId: 'F', taskId: 'T', turnNumber: 1, playerSummary: 'Built it' }

  test('a turn is stored by the first connection that logs in after others broke', async () => {
    const client = await clientBehind(3)
    expect((await client.captureTurnState(turn)).created).toBe(true)
  })

  test('if all of them break, the store is unavailable to captures and to queries', async () => {
    const client = await clientBehind(Number.POSITIVE_INFINITY)
    await expect(client.captureTurnState(turn)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(client.queryGraph({ query: 'RETURN 1' })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
  })
})

/** The beginning of the message, a structure of one field. */
const HELLO = Buffer.from([0xb1, 0x01])

/**
 * Returns an address of the run's server at which the given number of connections breaks during the login.
 */
async function breakingLogins(logins: number): Promise<string> {
  const target = new URL(neo4jUrl('lts'))
  const sockets = new Set<Socket>()
  let broken = 0
  const proxy = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port) })
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
    server.pipe(client)
    const breaks = broken++ < logins
    client.on('data', (bytes) => {
      if (breaks && bytes.includes(HELLO)) client.destroy()
      else server.write(bytes)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  return `bolt://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
}
