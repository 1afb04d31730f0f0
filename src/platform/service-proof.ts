/**
 * Lets a service prove that it knows a token before a caller sends the token or data (contract: hardening.md, section 2). A file
 * of a repository, or another process on the port, must get neither. Builtin modules only, because hooks load it.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { parseJson } from '../core/parse-json.ts'

/** `fetch` rejects an address with a user or a password, so this does too. */
export const isServiceAddress = (url: string): boolean =>
  URL.canParse(url) && /^https?:\/\/[^@/?#]+([/?#]|$)/i.test(url)

export const PROOF_PATH = '/proof'

/** Form of the nonce of a caller: 32 bytes in hexadecimal. */
export const NONCE = /^[0-9a-f]{64}$/

/** Makes a token of 256 random bits. The prefix lets the masking find the token in any text (src/core/scrub/collection.ts). */
export const createToken = (): string => `tgk_${randomBytes(32).toString('base64url')}`

/** Hash of a token: the service knows further tokens only by it. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest()

/** Names a token without its hash. */
export const tokenHint = (hash: Buffer): string => createHash('sha256').update(hash).digest('hex').slice(0, 8)

/**
 * Makes the proof of a service. For a caller on the same machine, `port` is the one that the service listens on: a process on
 * another port that forwards the nonce gets another proof. It is null behind a tunnel or a port mapping.
 */
export const computeProof = (hash: Buffer, nonce: string, port: number | null): string =>
  createHmac('sha256', hash)
    .update(`turngraph service proof\n${nonce}\n${port ?? ''}`)
    .digest('hex')

/**
 * Asks the service at an address to prove that it knows a token. Sends neither the token nor its hash.
 * @param options.isLocal true if the service listens on this port, so that the proof includes it
 * @throws the error of the connection, such as ECONNREFUSED, or of the time-out
 */
export async function knowsToken(
  url: string,
  token: string,
  { isLocal, timeoutMs }: { isLocal: boolean; timeoutMs: number },
): Promise<boolean> {
  const hash = hashToken(token)
  const nonce = randomBytes(32).toString('hex')
  const query = new URLSearchParams({ nonce, token: tokenHint(hash), ...(isLocal && { local: 'true' }) })
  const { proof } = Object(await askJson(`${url}${PROOF_PATH}?${query}`, timeoutMs)) as { proof?: unknown }
  const expected = computeProof(hash, nonce, isLocal ? portOf(url) : null)
  return typeof proof === 'string' && isEqual(proof, expected)
}

const isEqual = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Maximum size of an answer that is read: a proof takes 100 bytes. */
const MAX_ANSWER_BYTES = 4_096

/** Reads the JSON of an answer; undefined if it is not JSON, is too large or breaks off. */
function askJson(address: string, timeoutMs: number): Promise<unknown> {
  const send = address.startsWith('https:') ? secureRequest : request
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    const outgoing = send(address, { agent: false, signal }, (response) => {
      let body = ''
      response.setEncoding('latin1').on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_ANSWER_BYTES) response.destroy()
      })
      response.on('close', () => resolve(response.complete ? parseJson(body) : undefined))
    })
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(undefined)
    })
    outgoing.on('error', reject).end()
  })
}
