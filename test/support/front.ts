import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

type Front = {
  /** Answers a request itself, or passes it on. */
  answer: (req: IncomingMessage, res: ServerResponse, passOn: () => void) => void
  /** Delivers the body of the service's answer. Default: unchanged. */
  deliver?: (answer: IncomingMessage, req: IncomingMessage, res: ServerResponse) => void
  /** Headers that are not passed on to the service. */
  withheld?: readonly string[]
}

/** Starts a proxy before a real service until the test ends. Returns its address. */
export async function startFront(
  service: string,
  { answer, deliver = (body, _req, res) => void body.pipe(res), withheld = [] }: Front,
): Promise<string> {
  const front = createServer((req, res) =>
    answer(req, res, () => {
      const headers = Object.fromEntries(
        Object.entries(req.headers).filter(([name]) => !withheld.includes(name)),
      )
      const onward = request(`${service}${req.url}`, { method: req.method, headers }, (body) => {
        res.writeHead(body.statusCode ?? 502, body.headers)
        deliver(body, req, res)
      })
      onward.on('error', () => res.destroy())
      req.pipe(onward)
    }),
  )
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`
}
