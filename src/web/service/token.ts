// Keeps the credentials of the page: a session of this tab, or a token that the user typed.
import { failureFrom, notReachable } from './failure.ts'

/** Key in localStorage, if the user wants to stay signed in. */
const TOKEN_KEY = 'turngraph.token'
/** Key in sessionStorage, which ends with the tab. */
const SESSION_KEY = 'turngraph.session'

const PAGE_SESSIONS_PATH = '/v1/page-sessions'

/**
 * Exchanges the code of the address (`#code=…`) for a session; null if the address has none. The code leaves the address
 * first, so that no history keeps it.
 *
 * @throws Failure if the code was used already or has expired, or if the service cannot be reached
 */
export async function exchangeGivenCode(): Promise<string | null> {
  const code = /^#code=([A-Za-z0-9_-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return null
  history.replaceState(null, '', location.pathname + location.search)
  const answer = await fetch(PAGE_SESSIONS_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
    credentials: 'omit',
  }).catch(() => {
    throw notReachable()
  })
  if (!answer.ok) throw await failureFrom(answer)
  const { token } = (await answer.json()) as { token: string }
  sessionStorage.setItem(SESSION_KEY, token)
  return token
}

/** Returns the session of this tab, otherwise the token that this browser keeps. */
export const readKeptToken = (): string | null =>
  sessionStorage.getItem(SESSION_KEY) ?? localStorage.getItem(TOKEN_KEY)

/** True if the document of the service declares that it requires a token. */
export const isTokenNeeded = (): boolean =>
  document.querySelector('meta[name="turngraph-auth"]')?.getAttribute('content') !== 'off'

/**
 * Replaces the session of this tab by a token that the user typed. A session that stayed would be used again after a reload.
 *
 * @param stays true if this browser keeps the token
 */
export function storeToken(token: string, stays: boolean): void {
  sessionStorage.removeItem(SESSION_KEY)
  if (stays) localStorage.setItem(TOKEN_KEY, token)
}

export function forgetTokens(): void {
  sessionStorage.removeItem(SESSION_KEY)
  localStorage.removeItem(TOKEN_KEY)
}
