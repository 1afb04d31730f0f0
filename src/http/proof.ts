// Proves to callers that this service has their token, before they send it.
import type { RequestHandler } from 'express'
import * as z from 'zod'
import { parseWire } from '../core/wire-form.ts'
import { NONCE } from '../platform/service-proof.ts'
import { answerJson } from './answer.ts'
import type { Tokens } from './api-tokens.ts'
import { readInput } from './input.ts'

const proofRequest = z.strictObject({
  nonce: z.string().regex(NONCE, 'must be 64 hexadecimal digits'),
  token: z.string().regex(/^[0-9a-f]{8}$/, 'must be the hint of a token, 8 hexadecimal digits'),
  local: z.literal('true').optional(),
})

/** Answers `{"proof": null}` to a caller with another token. The caller then sends no data. */
export const proofHandler =
  (tokens: Tokens): RequestHandler =>
  (req, res) => {
    const { nonce, token, local } = parseWire(proofRequest, readInput(req), 'proof')
    const port = local === undefined ? null : (req.socket.localPort ?? null)
    answerJson(res, 200, { proof: tokens.prove(token, nonce, port) })
  }
