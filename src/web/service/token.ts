// Keeps the token of the person who looks: in memory, and in this browser where the person asks for it.

const STORED_AS = 'turngraph.token'

/** From the address (`#token=…`), which loses it, so that it stands in no history; else from this browser. */
export function takeToken(): string | null {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (given === undefined) return localStorage.getItem(STORED_AS)
  history.replaceState(null, '', location.pathname + location.search)
  return decodeURIComponent(given)
}

/** Whether the service asks for a token, by its own word in the document. */
export const isTokenNeeded = (): boolean =>
  document.querySelector('meta[name="turngraph-auth"]')?.getAttribute('content') !== 'off'

export function storeToken(token: string | null): void {
  if (token === null) localStorage.removeItem(STORED_AS)
  else localStorage.setItem(STORED_AS, token)
}
