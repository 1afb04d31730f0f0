// Keeps the codes and sessions of browsers. A code works once and is exchanged for a session.
import { createToken } from '../platform/service-proof.ts'

const CODE_LIFE_MS = 60_000
/** Lifetime of a session after its last request. */
const SESSION_LIFE_MS = 12 * 60 * 60_000

/** Maximum number of codes and of sessions; the oldest ends first. */
const MAX_ENTRIES = 1_000

type Entry = { callerName: string; expiresAt: number }

/**
 * Codes and sessions of one service, in memory: a restart ends them. Each belongs to the token that asked for the code. They are
 * random, so the time of a look-up in a map does not reveal one.
 */
export class PageSessions {
  readonly #codes = new Map<string, Entry>()
  readonly #sessions = new Map<string, Entry>()

  createCode(callerName: string, now: number): { code: string; expiresAt: number } {
    const code = createToken()
    const expiresAt = now + CODE_LIFE_MS
    addEntry(this.#codes, code, { callerName, expiresAt })
    return { code, expiresAt }
  }

  /** Exchanges a code for a session; null if the code is unknown, was used or has expired. */
  exchange(code: string, now: number): { token: string; expiresAt: number } | null {
    const entry = this.#codes.get(code)
    this.#codes.delete(code)
    if (entry === undefined || entry.expiresAt <= now) return null
    const token = createToken()
    const expiresAt = now + SESSION_LIFE_MS
    addEntry(this.#sessions, token, { callerName: entry.callerName, expiresAt })
    return { token, expiresAt }
  }

  /** Ends the codes and sessions of a token that is not valid any more: a new token may have its name. */
  endOf(callerName: string): void {
    for (const entries of [this.#codes, this.#sessions])
      for (const [secret, entry] of entries) if (entry.callerName === callerName) entries.delete(secret)
  }

  /** Returns the name of the token that a session belongs to, and prolongs the session; null if the session does not exist. */
  useSession(token: string, now: number): string | null {
    const entry = this.#sessions.get(token)
    if (entry === undefined) return null
    if (entry.expiresAt <= now) {
      this.#sessions.delete(token)
      return null
    }
    entry.expiresAt = now + SESSION_LIFE_MS
    return entry.callerName
  }
}

function addEntry(entries: Map<string, Entry>, secret: string, entry: Entry): void {
  const [oldest] = entries.keys()
  if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
  entries.set(secret, entry)
}
