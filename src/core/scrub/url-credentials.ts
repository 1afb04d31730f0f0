import { isReference, type Secret } from './secret.ts'

/** `://user:` and whatever follows without white space, quotes or another `://`. */
const URL_WITH_COLON = /:\/\/([^\s:/?#@["'`<>\0]*):((?:(?!:\/\/)[^\s"'`<>\0])+)/g
const WEB = /(?:https?|wss?|ftps?)$/
const PORT = /^\d*(?:[/?#]|$)/
/** A variable in the place of the port: `http://localhost:${PORT}/@fs`. */
const NAMED_PORT = /^[^/?#]*(?:port|[{}$%*])/i

/**
 * `scheme://user:password@host`: user and password go, as either may be the token; the host stays.
 */
export function* findUrlCredentials(content: string): Generator<Secret> {
  for (const { 1: user = '', 2: rest = '', index } of content.matchAll(URL_WITH_COLON)) {
    const isWeb = WEB.test(content.slice(Math.max(0, index - 5), index))
    const password = rest.slice(0, Math.max(0, passwordEnd(user, rest, isWeb)))
    if (password === '' || isReference(password)) continue
    const start = index + '://'.length
    yield { kind: 'url-credentials', start, end: start + user.length + ':'.length + password.length }
  }
}

/**
 * In a DSN people write / ? # and @ as they are, so there the password ends at the last @. In a web address these begin
 * the path (`http://host:8080/a@b`), and so they do after a port; but what is no port is a password with one of them.
 */
function passwordEnd(user: string, rest: string, isWeb: boolean): number {
  const hasPort = PORT.test(rest)
  if (!isWeb && !hasPort) return rest.lastIndexOf('@')
  const pathStart = rest.search(/[/?#]/)
  const authority = pathStart === -1 ? rest : rest.slice(0, pathStart)
  const end = authority.lastIndexOf('@')
  if (end !== -1 || hasPort || NAMED_PORT.test(rest)) return end
  if (rest[pathStart] === '/' && /[.]|^localhost$/.test(user)) return -1 // a host and its path
  const first = rest.indexOf('@')
  if (first === -1) return -1
  const hostLength = rest.slice(first).search(/[/?#]/)
  return rest.lastIndexOf('@', hostLength === -1 ? rest.length : first + hostLength)
}
