// Keeps the token of the person who looks: in memory, and in this browser where the person asks for it.

const STORED_AS = 'turngraph.token'

/** From the address (`#token=…`), which loses it, so that it stands in no history; null where it has none. */
export function takeGivenToken(): string | null {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (given === undefined) return null
  history.replaceState(null, '', location.pathname + location.search)
  return decodeToken(given)
}

/** What is no escaped text is taken as it stands: the service says whether it is a token. */
function decodeToken(given: string): string {
  try {
    return decodeURIComponent(given)
  } catch {
    return given // the only error that decodeURIComponent has
  }
}

/** From the address, else from this browser. */
export const takeToken = (): string | null => takeGivenToken() ?? localStorage.getItem(STORED_AS)

/** Whether the service asks for a token, by its own word in the document. */
export const isTokenNeeded = (): boolean =>
  document.querySelector('meta[name="turngraph-auth"]')?.getAttribute('content') !== 'off'

export function storeToken(token: string | null): void {
  if (token === null) localStorage.removeItem(STORED_AS)
  else localStorage.setItem(STORED_AS, token)
}
