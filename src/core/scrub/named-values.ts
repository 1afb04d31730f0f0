// Finds secrets whose name is in another field, and secrets that a program passes to a call.
import { isPublicName, isRandom, isStrongName, isToken } from './assignments.ts'
import { isMixed, isPlaceholder, isReference, type Secret } from './secret.ts'

const QUOTE = String.raw`\\{0,4}["']`
const NAME_FIELD = `(?:${QUOTE})?(?:name|key|variable|env|parameterkey|id)(?:${QUOTE})?[ \\t]{0,4}[:=][ \\t]{0,4}(?:${QUOTE})?([\\w./-]{2,80})(?:${QUOTE})?`
const VALUE_FIELD = `(?:${QUOTE})?(?:value|parametervalue|secretvalue|val)(?:${QUOTE})?[ \\t]{0,4}[:=][ \\t]{0,4}(?:${QUOTE})?`
const BETWEEN = String.raw`[ \t]{0,4},?[ \t]{0,4}(?:\r?\n[ \t]{0,40})?`
const VALUE = String.raw`([^\s"'\\,}<>\0]{4,})`

/** Matches `- name: DB_PASSWORD` and `value: S` below it, `{"name": "TOKEN", "value": "S"}`, and `<add key="…" value="S"/>`. */
const PAIR = new RegExp(`(?<![\\w$-])${NAME_FIELD}${BETWEEN}(?<![\\w$-])${VALUE_FIELD}${VALUE}`, 'dgi')
const REVERSED_PAIR = new RegExp(
  `(?<![\\w$-])${VALUE_FIELD}${VALUE}(?:${QUOTE})?${BETWEEN}${NAME_FIELD}`,
  'dgi',
)
/** `<entry key="secret">S</entry>` */
const ELEMENT =
  /<[a-z][\w.:-]{0,40}[^<>\0]{0,80}?\s(?:key|name)="([\w./-]{2,80})"[^<>\0]{0,80}>\s{0,20}([^\s<>\0]{4,200})\s{0,20}<\//dgi

/** A text that does not match contains no such pair. */
const FIELDS = /val(?:ue)?[\\"']{0,8}[ \t]{0,4}[:=]/i
const ELEMENTS = /(?:key|name)="/i

/** Only the beginning of a value is judged, so that the time is linear in the text. */
const MAX_JUDGED_LENGTH = 1_024

export function* findNamedValues(content: string): Generator<Secret> {
  for (const [pattern, name, value, sign] of [
    [PAIR, 1, 2, FIELDS],
    [REVERSED_PAIR, 2, 1, FIELDS],
    [ELEMENT, 1, 2, ELEMENTS],
  ] as const) {
    if (!sign.test(content)) continue // the usual case
    for (const match of content.matchAll(pattern)) {
      const [start, end] = match.indices?.[value] ?? [0, 0]
      const text = (match[value] ?? '').slice(0, MAX_JUDGED_LENGTH)
      if (isSecretOf(match[name] ?? '', text)) yield { kind: 'named-value', start, end }
    }
  }
}

function isSecretOf(name: string, value: string): boolean {
  if (isReference(value) || isPlaceholder(value) || value.startsWith('$') || isPublicName(name)) return false
  if (isStrongName(name)) return isMixed(value) || /[!@#$%^&*]/.test(value)
  return /(?:pass|pwd|secret|token|key|credentials?)$/i.test(name) && isToken(value) && value.length >= 8
}

const STRING = String.raw`[bru]{0,2}(?:\\{0,4}["'])`
const ARGUMENT = String.raw`[^(),\n\0]{1,80},\s{0,8}`

/** Calls that take a secret, up to the quote before the secret. */
const CALLS = [
  // auth=('anna', 'S')
  String.raw`\bauth\s{0,4}[=:]\s{0,4}[([]\s{0,4}${ARGUMENT}`,
  // HTTPBasicAuth('anna', 'S'), auth.basic('neo4j', 'S'), withCredentials('a', 'S')
  String.raw`(?:Credentials?|BasicAuth|\bbasic|\blogin)\(\s{0,8}${ARGUMENT}`,
  // jwt.sign(payload, 'S'), createHmac('sha256', 'S')
  String.raw`\b(?:jwt\.(?:sign|verify|encode|decode)|createHmac)\(\s{0,8}${ARGUMENT}`,
  // setPassword('S'), hmac.new(b'S', …), bcrypt.compare('S', …)
  String.raw`(?:Password|Secret|ApiKey|AuthToken|SecretKey|\bhmac\.new|\bFernet|\bbcrypt\.\w{2,20})\(\s{0,8}`,
]
const CALL = new RegExp(String.raw`(?:${CALLS.join('|')})${STRING}([^"'\\\n\0]{6,200})`, 'dgi')

const OPENED_STRING = /[(,]\s{0,8}[bru]{0,2}\\{0,4}["']/

/** @returns strings that a program passes to a call as a secret */
export function* findCallSecrets(content: string): Generator<Secret> {
  if (!OPENED_STRING.test(content)) return
  for (const { 1: text = '', indices } of content.matchAll(CALL)) {
    const [start, end] = indices?.[1] ?? [0, 0]
    if (isRandom(text) && !/\s/.test(text) && !isReference(text)) yield { kind: 'call', start, end }
  }
}

/** The forms that scripts/python-secrets.ts writes for the Python client. */
export const NAMED_VALUE_FORMS = {
  PAIR,
  REVERSED_PAIR,
  ELEMENT,
  FIELDS,
  ELEMENTS,
  CALLED: CALL,
  OPENED_STRING,
}
