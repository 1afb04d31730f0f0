import { type Exchange, exchange } from './send.ts'

/** Sends a plain POST of JSON and shows everything that the client would hide. */
export const post = (url: string, body: object): Promise<Exchange> =>
  exchange(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
