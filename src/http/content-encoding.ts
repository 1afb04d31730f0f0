// Decodes compressed bodies.
import type { Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { TurngraphError } from '../core/errors.ts'
import { systemCode } from '../core/system-code.ts'

/**
 * Creates the decoder of an encoding; null if the body is not encoded.
 *
 * @throws `invalid_request` if the encoding is unknown
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

/** Returns the content encoding in lower case; `identity` if the request names none. */
export const readEncoding = (headers: { 'content-encoding'?: string | undefined }): string =>
  headers['content-encoding']?.toLowerCase() ?? 'identity'

/** Converts an error of a decoder to one for the sender; null for any other error. */
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
