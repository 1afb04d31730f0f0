import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

type Front = { url: string; refused: () => number }

/**
 * Passes requests on to a real service, but refuses some as the service does over its limit, with a pause of a second: its own
 * window is a minute.
 */
export async function startLimitedFront(
  service: string,
  refuses: (request: number) => boolean,
): Promise<Front> {
  let [asked, refused] = [0, 0]
  const front = createServer((req, res) => {
    if (refuses(++asked)) {
      refused++
      const error = {
        code: 'rate_limited',
        message: 'Too many.',
        hint: null,
        details: null,
        request_id: null,
      }
      res.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      res.end(JSON.stringify({ error }))
      return
    }
    const onward = request(`${service}${req.url}`, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    req.pipe(onward)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, refused: () => refused }
}
