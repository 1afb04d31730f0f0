// Loads the API tokens and tells whose a token is.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { SCOPES, type Scope } from '../operations/operation.ts'
import type { Config } from '../platform/config.ts'
import { createPrivateFile } from '../platform/data-folder/private-file.ts'
import { badSettingsFile, readSettingsFile } from '../platform/settings-file.ts'

/** Who calls, as far as a token says it. */
export type Caller = {
  name: string
  scopes: ReadonlySet<Scope>
  /** The only project the token reaches; `null` reaches all. */
  project: string | null
}

const EVERYTHING: ReadonlySet<Scope> = new Set(SCOPES)

/** Anyone, where TURNGRAPH_AUTH is off. */
export const ANYONE: Caller = { name: 'anyone', scopes: EVERYTHING, project: null }

/** The file of TURNGRAPH_TOKENS. `sha256` is of the token's text, in hexadecimal: the file holds no secret. */
const tokensFile = z.array(
  z.strictObject({
    name: z.string().min(1).max(256),
    sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits'),
    scopes: z.array(z.enum(SCOPES)).min(1),
    project: name.optional(),
  }),
)

export class Tokens {
  readonly #known: readonly { hash: Buffer; caller: Caller }[]

  constructor(known: readonly { hash: Buffer; caller: Caller }[]) {
    this.#known = known
  }

  /** Compares with every known token, each in constant time: how long it takes tells nothing. */
  callerOf(token: string): Caller | null {
    const hash = sha256(token)
    let found: Caller | null = null
    for (const { hash: known, caller } of this.#known) if (timingSafeEqual(known, hash)) found = caller
    return found
  }
}

/** The tokens of a service: the one of its data folder (made at the first start), and those of the file. */
export function loadTokens({
  dataFolder,
  tokensFile: file,
}: Pick<Config, 'dataFolder' | 'tokensFile'>): Tokens {
  const own = { name: 'data folder', scopes: EVERYTHING, project: null }
  const further = file === null ? [] : readTokensFile(file)
  return new Tokens([{ hash: sha256(ownToken(dataFolder)), caller: own }, ...further])
}

function ownToken(dataFolder: string): string {
  const file = path.join(dataFolder, 'token')
  if (!existsSync(file)) {
    const made = randomBytes(32).toString('base64url')
    if (createPrivateFile(file, `${made}\n`)) return made
  }
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  const held = readFileSync(file, 'utf8').trim()
  if (held.length >= MIN_LENGTH) return held
  throw new TurngraphError(
    'invalid_request',
    `${file} holds no token of at least ${MIN_LENGTH} characters.`,
    {
      hint: 'Remove the file: the next start makes a new one.',
    },
  )
}

const MIN_LENGTH = 16

function readTokensFile(file: string): { hash: Buffer; caller: Caller }[] {
  const from = { variable: 'TURNGRAPH_TOKENS', file, form: TOKENS_FORM }
  const listed = readSettingsFile(from, tokensFile)
  const names = listed.map((entry) => entry.name)
  const twice = names.find((entry, index) => names.indexOf(entry) !== index)
  if (twice !== undefined) throw badSettingsFile(from, `two tokens are named "${twice}"`)
  return listed.map(({ name: given, sha256: hex, scopes, project }) => ({
    hash: Buffer.from(hex, 'hex'),
    caller: {
      name: `token ${given}`,
      scopes: scopes.includes('admin') ? EVERYTHING : new Set(scopes),
      project: project ?? null,
    },
  }))
}

const TOKENS_FORM =
  'It is a JSON list of {"name", "sha256", "scopes", "project"?}; scopes are read, write, analyst, admin.'

const sha256 = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest()
