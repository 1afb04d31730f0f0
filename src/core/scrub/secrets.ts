// Finds the secrets in a text: by the rules of gitleaks, which are maintained there, and by our own rules for
// secrets that those lack, each with its reason.
import { findAssignments } from './assignments.ts'
import { findByCollection } from './collection.ts'
import { findCommandSecrets } from './command-secrets.ts'
import { findHeaders, findUrlCredentials } from './credentials.ts'
import { findCallSecrets, findNamedValues } from './named-values.ts'
import { findByPatterns, findJwts } from './patterns.ts'
import { findEncodedKeys, findPrivateKeys, findPuttyKeys } from './private-keys.ts'
import type { Secret } from './secret.ts'

/** Finds all secrets, in no particular order. Two rules may find the same secret. The time is linear in the text. */
export function findSecrets(text: string): Secret[] {
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
    ...findCommandSecrets(content),
    ...findNamedValues(content),
    ...findCallSecrets(content),
  ]
}

/**
 * Escapes in logs and in JSON within a text end in a letter or a digit (`\n`, `\u003d`, the color code
 * `ESC[32m`). Before a token, a rule would take both for one word. An escape is therefore replaced by white
 * space of the same length, or by a neutral character if it may be part of a password (`\u0026`).
 */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ESC is what begins a colour code
  /(?<!\\)\\+(?:[nrt]|(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2})(?:\[[\d;]*[A-Za-z])?)|\u001b\[[\d;]*[A-Za-z]/g

const withoutEscapes = (text: string): string =>
  text.includes('\\') || text.includes('\u001b')
    ? text.replace(ESCAPES, (written) => (/\\[nrt]$|\[/.test(written) ? ' ' : '!').repeat(written.length))
    : text
