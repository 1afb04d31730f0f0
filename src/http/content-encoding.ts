// Decodes a body that was sent compressed.
import type { Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { TurngraphError } from '../core/errors.ts'
import { systemCode } from '../core/system-code.ts'

/**
 * Takes what was sent and gives what it says; null where it says it as it is.
 *
 * @throws `invalid_request` where the encoding is not known
 */
export function createDecoder(encoding: string): Duplex | null {
  if (encoding === 'identity') return null
  const decode = DECODERS[encoding]
  if (decode === undefined) throw badEncoding(`${encoding.slice(0, 100)} is not known`)
  return decode()
}

const DECODERS: Record<string, () => Duplex> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** In lower case; `identity` where the request names none. */
export const readEncoding = (headers: { 'content-encoding'?: string | undefined }): string =>
  headers['content-encoding']?.toLowerCase() ?? 'identity'

/** A decoder's error as the sender's; null where it is another one. */
export function refuseUndecodable(error: unknown, encoding: string): TurngraphError | null {
  const code = systemCode(error) ?? ''
  const isOfDecoder = code.startsWith('Z_') || code.startsWith('ERR__ERROR_FORMAT')
  return isOfDecoder ? badEncoding(`the body is not ${encoding}`) : null
}

const badEncoding = (message: string): TurngraphError =>
  new TurngraphError('invalid_request', `The content-encoding of the body: ${message}.`, {
    hint: 'Send it as it is, or with content-encoding gzip, deflate or br.',
    details: { problems: [{ path: 'content-encoding', message }] },
  })
