// Finds private keys: in PEM, of PuTTY, and PEM in base64.
import type { Secret } from './secret.ts'

const KEY_LABEL = '(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----'
const KEY_BLOCK = new RegExp(
  String.raw`-----BEGIN ?${KEY_LABEL}([^-\0]*(?:-(?!----)[^-\0]*)*)(-----END ?${KEY_LABEL})?`,
  'g',
)
/** A key contains such a run. Prose that mentions the two markers does not. */
const BASE64_RUN = /[A-Za-z0-9+/=]{32}/
/** In a text that was cut off, the last line may be short. */
const BASE64_LINES =
  /[A-Za-z0-9+/=]{16,}(?:[^A-Za-z0-9+/=\0]{1,8}[A-Za-z0-9+/=]{16,})*(?:[^A-Za-z0-9+/=\0]{1,8}[A-Za-z0-9+/=]{1,15}(?=\n?\0|$))?/y

/** Finds private keys. The rule of the preset lacks ENCRYPTED, PGP, blocks with headers, and blocks without an end. */
export function* findPrivateKeys(content: string): Generator<Secret> {
  for (const match of content.matchAll(KEY_BLOCK)) {
    const [whole, body = '', end] = match
    const run = body.search(BASE64_RUN)
    if (run === -1) continue
    const bodyAt = match.index + whole.length - body.length - (end?.length ?? 0)
    yield {
      kind: 'private-key',
      start: match.index,
      end: end === undefined ? endOfLines(content, bodyAt + run) : match.index + whole.length,
    }
  }
}

function endOfLines(content: string, start: number): number {
  BASE64_LINES.lastIndex = start
  BASE64_LINES.test(content)
  return BASE64_LINES.lastIndex
}

const PUTTY_PRIVATE =
  /Private-Lines: \d{1,6}([^A-Za-z0-9+/\0]{1,8}[A-Za-z0-9+/=]{16,}(?:[^A-Za-z0-9+/=\0]{1,8}[A-Za-z0-9+/=]{16,})*)/dg

export function* findPuttyKeys(content: string): Generator<Secret> {
  if (!content.includes('PuTTY-User-Key-File-')) return
  for (const { indices } of content.matchAll(PUTTY_PRIVATE)) {
    const [start, end] = indices?.[1] ?? [0, 0]
    yield { kind: 'putty-key', start: start + 1, end }
  }
}

/** `-----BEGIN ` in base64. */
const ENCODED_PEM = /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}/g

/** Finds private keys in PEM that are encoded in base64 again, as in a kubeconfig. Certificates are public. */
export function* findEncodedKeys(content: string): Generator<Secret> {
  for (const { 0: run, index } of content.matchAll(ENCODED_PEM)) {
    const head = Buffer.from(run.slice(0, 80), 'base64').toString('latin1')
    if (/PRIVATE/.test(head)) yield { kind: 'encoded-private-key', start: index, end: index + run.length }
  }
}

/** The forms that scripts/python-secrets.ts writes for the Python client. */
export const PRIVATE_KEY_FORMS = { KEY_BLOCK, BASE64_RUN, BASE64_LINES, PUTTY_PRIVATE, ENCODED_PEM }
