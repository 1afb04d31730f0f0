// Finds credentials in addresses and in headers of HTTP.
import { isMixed, isReference, type Secret } from './secret.ts'

/** `://user:` and the characters after it, without white space, quotes or another `://`. */
const URL_WITH_COLON = /:\/\/([^\s:/?#@["'`<>\0]*):((?:(?!:\/\/)[^\s"'`<>\0])+)/g
const WEB = /(?:https?|wss?|ftps?)$/
const PORT = /^\d*(?:[/?#]|$)/
/** A variable instead of the port: `http://localhost:${PORT}/@fs`. */
const NAMED_PORT = /^[^/?#]*(?:port|[{}$%*])/i

/** Finds the user and password of `scheme://user:password@host`. Either may be the token. The host stays. */
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
 * Returns the length of the password. In a DSN, people write / ? # and @ unescaped, so the password ends at
 * the last @. In a web address, and after a port, these signs begin the path (`http://host:8080/a@b`), unless
 * the text before them is not a port: then they are part of a password.
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

/** Finds credentials in the HTTP headers `Authorization` and `Cookie`. Other headers are handled as assignments. */
export function* findHeaders(content: string): Generator<Secret> {
  for (const { 1: scheme, 2: credential = '', indices } of content.matchAll(AUTHORIZATION)) {
    const [start, end] = indices?.[2] ?? [0, 0]
    if (isReference(credential) || /[([{]/.test(content[end] ?? '')) continue
    if (isCredential(credential, scheme !== undefined)) yield { kind: 'authorization', start, end }
  }
  for (const { indices } of content.matchAll(PARAMETERS)) {
    const [start, end] = indices?.[1] ?? [0, 0]
    yield { kind: 'authorization', start, end }
  }
  for (const { 1: cookies = '', indices } of content.matchAll(COOKIE)) {
    const [start] = indices?.[1] ?? [0, 0]
    for (const { 1: name = '', 2: value = '', index } of cookies.matchAll(COOKIE_PAIR)) {
      if (COOKIE_ATTRIBUTE.test(name) || isReference(value) || !isMixed(value)) continue
      const from = start + index + name.length + 1
      yield { kind: 'cookie', start: from, end: from + value.length }
    }
  }
}

const HEADER = /authorization(?:\\{0,4}["'`])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,4}["'`])?[ \t]{0,4}/.source

/** A scheme, which is not masked, and one word. */
const AUTHORIZATION = new RegExp(
  `${HEADER}${/(?:([A-Za-z][A-Za-z\d-]{1,20})[ \t]{1,8})?([\w.~+/=:%@!-]{8,})/.source}`,
  'dgi',
)

/** A scheme and parameters; one of them is a signature. */
const PARAMETERS = new RegExp(
  `${HEADER}${/(?:Digest|OAuth|AWS4-HMAC-SHA256|Hawk|Signature|SharedAccessSignature|SharedKey)[ \t]{1,4}([\w-]{1,40}=[^\r\n\0"'`]{0,400}(?:"[^"\r\n\0]{0,400}"[, \t]{0,4}[\w-]{0,40}=?[^\s"'`,\0]{0,400}){0,30})/.source}`,
  'dgi',
)

/** A credential contains a digit, which excludes `Basic authentication`. After a scheme a capital letter is enough. */
const isCredential = (text: string, hasScheme: boolean): boolean =>
  hasScheme
    ? /^.{0,64}(?:\d|[a-z][A-Z])/.test(text) && !CODE.test(text)
    : /\d/.test(text) && isMixed(text) && text.length >= 12 && !CODE.test(text)

const CODE = /^[A-Za-z_$][a-zA-Z_$]*(?:\.[A-Za-z_$][a-zA-Z_$]*)+$/

const COOKIE =
  /(?<![\w$])cookie2?(?:\\{0,4}["'`])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,4}["'`])?([^\r\n\0"'`]{8,})/dgi
const COOKIE_PAIR = /([\w.$~%-]{1,80})=([^;,\s\0]{8,})/g
const COOKIE_ATTRIBUTE = /^(?:expires|max-age|domain|path|samesite|version|priority)$/i

/** The forms that scripts/python-secrets.ts writes for the Python client. */
export const CREDENTIAL_FORMS = {
  URL_WITH_COLON,
  NAMED_PORT,
  AUTHORIZATION,
  PARAMETERS,
  QUALIFIED_NAME: CODE,
  COOKIE,
  COOKIE_PAIR,
  COOKIE_ATTRIBUTE,
}
