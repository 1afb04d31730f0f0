import { findAssignments } from './assignments.ts'
import { findByCollection } from './collection.ts'
import { findHeaders } from './headers.ts'
import { findByPatterns, findJwts } from './patterns.ts'
import { findByPreset } from './preset.ts'
import { findEncodedKeys, findPrivateKeys, findPuttyKeys } from './private-keys.ts'
import type { Secret } from './secret.ts'
import { findUrlCredentials } from './url-credentials.ts'

/**
 * Which places of a text are secrets. Tokens are known by the rules of secretlint and gitleaks, which are maintained
 * there; what they lack is in src/secrets, each rule with its reason.
 */

/**
 * Every secret that any rule finds, in no order; two rules may find the same one. The time is linear in the text.
 */
export async function findSecrets(text: string): Promise<Secret[]> {
  return [...(await findByPreset(withoutEscapes(text))), ...findOwnSecrets(text)]
}

/** By all rules but those of secretlint, which are asynchronous: for what cannot wait, as a line of a log. */
export function findOwnSecrets(text: string): Secret[] {
  const content = withoutEscapes(text)
  return [
    ...findByCollection(content),
    ...findByPatterns(content),
    ...findJwts(content),
    ...findUrlCredentials(content),
    ...findPrivateKeys(content),
    ...findPuttyKeys(content),
    ...findEncodedKeys(content),
    ...findHeaders(content),
    ...findAssignments(content),
  ]
}

/**
 * What logs and JSON within a text write in front of a token ends in a letter or a digit (`\n`, `\u003d`,
 * the colour code `ESC[32m`), and a rule takes both for one word. So it becomes as many characters of
 * white space, or of a neutral kind where it may be part of a password (`\u0026`).
 */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ESC is what begins a colour code
  /(?<!\\)\\+(?:[nrt]|(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2})(?:\[[\d;]*[A-Za-z])?)|\u001b\[[\d;]*[A-Za-z]/g

const withoutEscapes = (text: string): string =>
  text.includes('\\') || text.includes('\u001b')
    ? text.replace(ESCAPES, (written) => (/\\[nrt]$|\[/.test(written) ? ' ' : '!').repeat(written.length))
    : text
