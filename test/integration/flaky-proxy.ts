import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * The fate of a request: its connection is closed, its answer is lost after the service has handled it, it is never
 * answered, or the test answers it.
 */
export type Fate = 'refuse' | 'lose the answer' | 'hang' | { status: number; body: unknown } | undefined

/** Starts a proxy to a service. The test decides the fate of each request. */
export async function flakyProxy(
  target: string,
  fateOf: (request: { method: string; url: string }) => Fate | Promise<Fate>,
): Promise<string> {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const fate = await fateOf({ method: req.method ?? 'GET', url: req.url ?? '/' })
    if (fate === 'hang') return
    if (fate === 'refuse') return void res.destroy()
    if (typeof fate === 'object') {
      return void res
        .writeHead(fate.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(fate.body))
    }
    const answer = await fetch(`${target}${req.url}`, {
      method: req.method ?? 'GET',
      headers: headersOf(req),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = await answer.text()
    if (fate === 'lose the answer') return void res.destroy()
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const headersOf = (req: IncomingMessage): [string, string][] =>
  Object.entries(req.headers)
    .filter(([name]) => !['host', 'content-length', 'connection', 'transfer-encoding'].includes(name))
    .map(([name, value]) => [name, String(value)])
