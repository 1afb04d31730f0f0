// Finds which places of a text are secrets: tokens by the rules of secretlint and gitleaks, which are maintained there, and
// by rules of our own for what those lack, each with its reason.
import { findAssignments } from './assignments.ts'
import { findByCollection } from './collection.ts'
import { findCommandSecrets } from './command-secrets.ts'
import { findHeaders, findUrlCredentials } from './credentials.ts'
import { findCallSecrets, findNamedValues } from './named-values.ts'
import { findByPatterns, findJwts } from './patterns.ts'
import { findEncodedKeys, findPrivateKeys, findPuttyKeys } from './private-keys.ts'
import type { Secret } from './secret.ts'

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
    ...findCommandSecrets(content),
    ...findNamedValues(content),
    ...findCallSecrets(content),
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

type PresetRule = typeof import('@secretlint/secretlint-rule-preset-recommend')['rules'][number]

/** Rules of the preset that do harm here, by the end of their id. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  // Lets a text switch the scrubbing of all that follow off, by saying `secretlint-disable`.
  'filter-comments',
  // Take the host away with the password, skip passwords that look like examples, and know few schemes.
  'basicauth',
  'database-connection-string',
  // Skips a key that ends in / + or =, and compiles its pattern on every scan: 85 of the preset's 120 µs.
  'aws',
  // Skips a key with a dash in its first part or two in its second; 0.5 s on 1 MiB that is made for it.
  'sendgrid',
])

const ruleName = (rule: PresetRule): string => rule.meta.id.replace('@secretlint/secretlint-rule-', '')

async function loadPreset(): Promise<PresetRule[]> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend')
  return rules.filter((rule) => !LEFT_OUT.has(ruleName(rule)))
}

let preset: Promise<PresetRule[]> | undefined

/**
 * Runs the preset's rules directly. `lintSource` of @secretlint/core marks some fifty entries a call on
 * Node's performance timeline and keeps them for good: made for a command line, in a service it leaks
 * and slows down (measured: 27,000 entries after 500 calls, and 0.4 ms a call where the rules need 0.04).
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

/** A message would quote the secret. */
const NO_MESSAGE = { message: '', messageId: '', data: undefined }

/** A text as the rules want it: no file, so no rule reads one; lines and columns are for messages only. */
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
