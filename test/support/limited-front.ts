import { startFront } from './front.ts'

type Front = { url: string; refused: () => number }

/**
 * Passes requests on to a real service, but rejects some like a service over its rate limit, with a pause of
 * one second: the service's own window is a minute.
 */
export async function startLimitedFront(
  service: string,
  refuses: (request: number) => boolean,
): Promise<Front> {
  let [asked, refused] = [0, 0]
  const url = await startFront(service, {
    answer: (_req, res, passOn) => {
      if (!refuses(++asked)) return passOn()
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
    },
  })
  return { url, refused: () => refused }
}
