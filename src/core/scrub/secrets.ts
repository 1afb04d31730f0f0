// Finds the secrets in a text by the rules of secretlint and gitleaks, and by our own rules for secrets that both lack.
import { findAssignments } from './assignments.ts'
import { findByCollection } from './collection.ts'
import { findCommandSecrets } from './command-secrets.ts'
import { findHeaders, findUrlCredentials } from './credentials.ts'
import { findCallSecrets, findNamedValues } from './named-values.ts'
import { findByPatterns, findJwts } from './patterns.ts'
import { findEncodedKeys, findPrivateKeys, findPuttyKeys } from './private-keys.ts'
import type { Secret } from './secret.ts'

/** Finds all secrets, in no particular order. Two rules may find the same secret. The time is linear in the text. */
export async function findSecrets(text: string): Promise<Secret[]> {
  return [...(await findByPreset(withoutEscapes(text))), ...findOwnSecrets(text)]
}

/** Applies all rules except those of secretlint, which are asynchronous. For callers that cannot wait, such as the log. */
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

type PresetRule = typeof import('@secretlint/secretlint-rule-preset-recommend')['rules'][number]

/** Rules of the preset that do harm here, by the last part of their id. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  // A text could disable the scrubbing of all texts after it with `secretlint-disable`.
  'filter-comments',
  // They mask the host with the password, skip passwords that look like examples, and know few schemes.
  'basicauth',
  'database-connection-string',
  // It skips a key that ends in / + or =, and compiles its pattern on every scan: 85 of the preset's 120 µs.
  'aws',
  // It skips a key with a dash in its first part or two in its second. Crafted input of 1 MiB takes 0.5 s.
  'sendgrid',
])

const ruleName = (rule: PresetRule): string => rule.meta.id.replace('@secretlint/secretlint-rule-', '')

async function loadPreset(): Promise<PresetRule[]> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend')
  return rules.filter((rule) => !LEFT_OUT.has(ruleName(rule)))
}

let preset: Promise<PresetRule[]> | undefined

/**
 * Runs the preset's rules directly. `lintSource` of @secretlint/core adds about fifty entries per call to Node's performance
 * timeline and never removes them. It is made for a command line; in a service it leaks memory and becomes slow. After 500 calls
 * there were 27,000 entries. A call took 0.4 ms, and the rules alone take 0.04 ms.
 */
export async function findByPreset(content: string): Promise<Secret[]> {
  preset ??= loadPreset()
  const found: Secret[] = []
  const source = toSource(content)
  for (const rule of await preset) {
    const handler = rule.create(
      {
        sharedOptions: {},
        createTranslator: () => () => NO_MESSAGE,
        report: ({ range: [start, end] }: { range: readonly [number, number] }) =>
          found.push({ kind: ruleName(rule), start, end }),
        ignore: () => {},
      },
      {},
    )
    await handler.file?.(source)
  }
  return found
}

/** Empty, because a message would quote the secret. */
const NO_MESSAGE = { message: '', messageId: '', data: undefined }

/** Presents a text to the rules. It is not a file, so no rule reads one. Lines and columns are used only in messages. */
const toSource = (content: string) => ({
  content,
  contentType: 'text' as const,
  hasBOM: false,
  ext: '',
  filePath: 'turn',
  physicalFilePath: undefined,
  getFilePath: () => 'turn',
  getPhysicalFilePath: () => undefined,
  positionToIndex: () => 0,
  indexToPosition: () => NOWHERE,
  locationToRange: () => [0, 0] as const,
  rangeToLocation: () => ({ start: NOWHERE, end: NOWHERE }),
})

const NOWHERE = { line: 1, column: 0 }
