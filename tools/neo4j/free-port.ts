// Finds a port for a server.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { isErrno } from './signal.ts'

/**
 * Returns an unused loopback port below the ephemeral ranges (Linux 32768, macOS 49152). The system's own
 * choice (port 0) can be taken by any outgoing connection while a server restarts, and a client that keeps
 * retrying it can even connect to itself.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
  }
  throw new Error('no free port between 20000 and 32000')
}

export async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    probe.listen({ port, host: '127.0.0.1' })
    await once(probe, 'listening')
  } catch (error) {
    if (isErrno(error, 'EADDRINUSE')) return false
    throw error
  }
  probe.close()
  await once(probe, 'close')
  return true
}
