// Identifies the caller, and limits its rights, its rate and the pages from which it may call.
import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, MemoryStore, rateLimit } from 'express-rate-limit'
import { TurngraphError } from '../core/errors.ts'
import { refuseWithoutScope } from '../operations/access.ts'
import type { Scope } from '../operations/operation.ts'
import type { Config } from '../platform/config.ts'
import { isLoopback } from '../platform/loopback.ts'
import { ANYONE, type Caller, type Tokens } from './api-tokens.ts'

const callers = new WeakMap<Response, Caller>()
const tokensSent = new WeakMap<Response, { tokens: Tokens; token: string }>()

/** Identifies the caller. Each route decides separately whether it may call. Without tokens (null), every caller may do all. */
export function identify(tokens: Tokens | null): RequestHandler {
  return (req, res, next) => {
    const token = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1]
    const caller = tokens === null ? ANYONE : token === undefined ? null : tokens.findCaller(token)
    if (caller !== null) callers.set(res, caller)
    if (tokens !== null && token !== undefined) tokensSent.set(res, { tokens, token })
    next()
  }
}

/**
 * Limits requests per minute, by token, or by address without a valid token. `request` counts each request. `members` counts
 * the additional members of a JSON-RPC batch after the body is read: each one is a request, too.
 */
export function limitRate(perMinute: number): { request: RequestHandler; members: RequestHandler } {
  const store = new MemoryStore()
  const rateKey = (req: Request, res: Response) =>
    callers.get(res)?.name ?? `address ${ipKeyGenerator(req.ip ?? '')}`
  const refusal = () =>
    new TurngraphError('rate_limited', `More than ${perMinute} requests in a minute.`, {
      hint: 'Wait as long as Retry-After says. TURNGRAPH_RATE_LIMIT sets the limit.',
    })
  return {
    request: rateLimit({
      windowMs: MINUTE_MS,
      limit: perMinute,
      store,
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      keyGenerator: rateKey,
      handler: (_req, _res, next) => next(refusal()),
    }),
    members: async (req, res, next) => {
      const further = Array.isArray(req.body) ? req.body.length - 1 : 0
      for (let counted = 0; counted < further; counted++) {
        const { totalHits, resetTime } = await store.increment(rateKey(req, res))
        if (totalHits <= perMinute) continue
        const waitMs = (resetTime?.getTime() ?? 0) - Date.now()
        res.setHeader('Retry-After', Math.max(1, Math.ceil(waitMs / 1_000)))
        throw refusal()
      }
      next()
    },
  }
}

const MINUTE_MS = 60_000

/** Rejects a caller without one of the scopes, before the body is read. Null accepts any known token. */
export const requireScope =
  (allowed: readonly Scope[] | null): RequestHandler =>
  (req, res, next) => {
    const caller = callers.get(res)
    if (caller === undefined) throw unauthorized(res, req.headers.authorization)
    if (allowed !== null) refuseWithoutScope(allowed, caller.scopes)
    next()
  }

export function readCaller(res: Response): Caller {
  const caller = callers.get(res)
  if (caller === undefined) throw new Error('a route runs an operation without requireScope')
  return caller
}

/** True if the token of a streaming answer still has a scope and the same project as at the start. */
export function isStillAllowed(res: Response, scope: Scope): boolean {
  const sent = tokensSent.get(res)
  if (sent === undefined) return true
  const caller = sent.tokens.findCaller(sent.token)
  return caller?.scopes.has(scope) === true && caller.project === readCaller(res).project
}

function unauthorized(res: Response, given: string | undefined): TurngraphError {
  const challenge = 'Bearer realm="turngraph"'
  res.setHeader('WWW-Authenticate', given === undefined ? challenge : `${challenge}, error="invalid_token"`)
  return new TurngraphError(
    'unauthorized',
    given === undefined ? 'A token is needed.' : 'The token is not known here.',
    {
      hint: 'Send "Authorization: Bearer TOKEN"; the first one lies in the file `token` of the data folder.',
    },
  )
}

/** Settings that determine the names of a service. */
type Served = Pick<Config, 'auth' | 'host' | 'allowedHosts'>

/**
 * Refuses requests from foreign pages in a user's browser. A foreign page's requests carry its Origin.
 * A name that an attacker pointed at 127.0.0.1 (DNS rebinding) is in Host, so a service on a loopback
 * address checks Host for every route. The port in Host adds no information (and differs behind a tunnel),
 * but two origins on one machine differ by it, so Origin is compared with Host as a whole.
 */
export function refuseForeign(served: Served): RequestHandler {
  return (req, _res, next) => {
    const host = req.headers.host?.toLowerCase() ?? ''
    const { origin } = req.headers
    const from = origin === undefined ? host : parseHost(origin)
    if (from !== host && !isAllowed(from, served)) {
      throw new TurngraphError('forbidden', `Pages of ${origin?.slice(0, 200)} may not call this service.`, {
        hint: 'Call it from a program, or from its own pages; TURNGRAPH_ALLOWED_HOSTS names further ones.',
      })
    }
    if (isHostChecked(served)) refuseForeignHost(host, served)
    next()
  }
}

/** Rejects a GET from a link or an image on a foreign page. It has no Origin, but browsers send the site of the page. */
export const refuseForeignGet: RequestHandler = (req, _res, next) => {
  const site = req.headers['sec-fetch-site'] ?? 'none'
  if (site !== 'none' && site !== 'same-origin')
    throw new TurngraphError('forbidden', `Pages of another site may not call ${req.path.slice(0, 200)}.`, {
      hint: 'Call it from a program: it takes an attempt for its caller.',
    })
  next()
}

/** Checks Host for MCP, which requires it even with tokens. Skips the check if the names of the service are unknown. */
export function refuseForeignToMcp(served: Served): RequestHandler {
  const isEveryAddress = ['0.0.0.0', '::', '[::]', ''].includes(served.host)
  if (isEveryAddress && served.allowedHosts.length === 0) return (_req, _res, next) => next()
  return (req, _res, next) => {
    refuseForeignHost(req.headers.host?.toLowerCase() ?? '', served)
    next()
  }
}

/** True if all names of the service are known. A service for other machines has further names unless they are listed. */
const isHostChecked = ({ auth, host, allowedHosts }: Served): boolean =>
  auth === 'off' || isLoopback(host) || allowedHosts.length > 0

function refuseForeignHost(host: string, served: Served): void {
  if (isOurs(toHostName(host), served.host) || isAllowed(host, served)) return
  throw new TurngraphError('forbidden', `This service is not reached as "${host.slice(0, 200)}".`, {
    hint:
      served.auth === 'off'
        ? 'Without tokens it answers to loopback names only: use http://127.0.0.1, or TURNGRAPH_AUTH=token.'
        : 'Use the address that it listens on, or list this name in TURNGRAPH_ALLOWED_HOSTS.',
  })
}

/** True if the host is listed with its port or without a port. */
const isAllowed = (host: string | null, { allowedHosts }: Served): boolean =>
  host !== null && (allowedHosts.includes(host) || allowedHosts.includes(toHostName(host)))

const isOurs = (name: string, ownHost: string): boolean =>
  isLoopback(name) || name === ownHost.toLowerCase() || name === `[${ownHost.toLowerCase()}]`

/** `http://Example:80` → `example:80`. The scheme may differ if a proxy ends TLS. The origin `null` has no host. */
const parseHost = (origin: string): string | null =>
  /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null

const toHostName = (host: string): string =>
  /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? ''
