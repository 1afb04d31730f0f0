import { isMixed, isReference, type Secret } from './secret.ts'

/** Finds credentials in headers of HTTP: `Authorization` and `Cookie`. The other ones are assignments. */
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

const HEADER =
  String.raw`authorization(?:\\{0,4}["'\`])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,4}["'\`])?[ \t]{0,4}`.replaceAll(
    '\\`',
    '`',
  )

/** A scheme, which stays, and one word. */
const AUTHORIZATION = new RegExp(
  String.raw`${HEADER}(?:([A-Za-z][A-Za-z\d-]{1,20})[ \t]{1,8})?([\w.~+/=:%@!-]{8,})`,
  'dgi',
)

/** A scheme and parameters, of which one is a signature. */
const PARAMETERS = new RegExp(
  String.raw`${HEADER}(?:Digest|OAuth|AWS4-HMAC-SHA256|Hawk|Signature|SharedAccessSignature|SharedKey)[ \t]{1,4}([\w-]{1,40}=[^\r\n\0"'\`]{0,400}(?:"[^"\r\n\0]{0,400}"[, \t]{0,4}[\w-]{0,40}=?[^\s"'\`,\0]{0,400}){0,30})`.replaceAll(
    '\\`',
    '`',
  ),
  'dgi',
)

/** A digit makes it a credential: `Basic authentication` is not one. Behind a scheme a capital does, too. */
const isCredential = (text: string, hasScheme: boolean): boolean =>
  hasScheme
    ? /^.{0,64}(?:\d|[a-z][A-Z])/.test(text) && !CODE.test(text)
    : /\d/.test(text) && isMixed(text) && text.length >= 12 && !CODE.test(text)

const CODE = /^[A-Za-z_$][a-zA-Z_$]*(?:\.[A-Za-z_$][a-zA-Z_$]*)+$/

const COOKIE =
  /(?<![\w$])(?:set-)?cookie2?(?:\\{0,4}["'`])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,4}["'`])?([^\r\n\0"'`]{8,})/dgi
const COOKIE_PAIR = /([\w.$~%-]{1,80})=([^;,\s\0]{8,})/g
const COOKIE_ATTRIBUTE = /^(?:expires|max-age|domain|path|samesite|version|priority)$/i
