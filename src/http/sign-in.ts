// Signs browsers in without a token in their address.
import type { RequestHandler } from 'express'
import type * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { parseWire } from '../core/wire-form.ts'
import { type pageCode, type pageSession, pageSessionRequest } from '../operations/page-session.ts'
import { answerJson } from './answer.ts'
import { readCaller } from './authorize.ts'
import { readInput } from './input.ts'
import type { PageSessions } from './page-sessions.ts'

export const createCodeHandler =
  (sessions: PageSessions): RequestHandler =>
  (_req, res) => {
    const { code, expiresAt } = sessions.createCode(readCaller(res).name, Date.now())
    const answer: z.output<typeof pageCode> = { code, expires_at: new Date(expiresAt).toISOString() }
    answerJson(res, 201, answer)
  }

export const exchangeCodeHandler =
  (sessions: PageSessions): RequestHandler =>
  (req, res) => {
    const { code } = parseWire(pageSessionRequest, readInput(req), 'page session')
    const session = sessions.exchange(code, Date.now())
    if (session === null) {
      throw new TurngraphError('unauthorized', 'The code was used already, or is more than a minute old.', {
        hint: 'Run `turngraph open` for a new one.',
      })
    }
    const { token, expiresAt } = session
    const answer: z.output<typeof pageSession> = { token, expires_at: new Date(expiresAt).toISOString() }
    answerJson(res, 201, answer)
  }
