import type { RequestHandler } from 'express'
import { TurngraphError } from '../core/errors.ts'
import { type Config, isLoopback } from '../platform/config.ts'

/**
 * Refuses what a page in somebody's browser may send here. A foreign page's requests carry its Origin;
 * a name that an attacker pointed at 127.0.0.1 (DNS rebinding) stands in Host, and without tokens that
 * is all there is to tell it from us. The port in Host says nothing more (and differs behind a tunnel),
 * but two origins on one machine differ by it, so Origin is compared with Host as a whole.
 */
export function refuseForeign({ auth, host: ownHost }: Pick<Config, 'auth' | 'host'>): RequestHandler {
  return (req, _res, next) => {
    const host = req.headers.host ?? ''
    const { origin } = req.headers
    if (origin !== undefined && hostOf(origin) !== host.toLowerCase()) {
      throw new TurngraphError('forbidden', `Pages of ${origin.slice(0, 200)} may not call this service.`, {
        hint: 'Call it from a program, or from its own pages.',
      })
    }
    if (auth === 'off' && !isOurs(nameOf(host), ownHost)) {
      throw new TurngraphError('forbidden', `This service is not reached as "${host.slice(0, 200)}".`, {
        hint: 'Without tokens it answers to loopback names only: use http://127.0.0.1, or TURNGRAPH_AUTH=token.',
      })
    }
    next()
  }
}

const isOurs = (name: string, ownHost: string): boolean =>
  isLoopback(name) || name === ownHost.toLowerCase() || name === `[${ownHost.toLowerCase()}]`

/** `http://Example:80` → `example:80`; the scheme may differ where a proxy ends TLS. `null` has no host. */
const hostOf = (origin: string): string | null =>
  /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null

const nameOf = (host: string): string =>
  /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? ''
