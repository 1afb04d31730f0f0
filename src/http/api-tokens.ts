// Loads the API tokens, and finds the caller that a token belongs to.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { statSync } from 'node:fs'
import * as z from 'zod'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { SCOPES, type Scope } from '../operations/operation.ts'
import type { Config } from '../platform/config.ts'
import { createPrivateFile } from '../platform/data-folder/private-file.ts'
import { readTokenFile, tokenFileIn } from '../platform/data-folder/token-file.ts'
import { computeProof, hashToken, tokenHint } from '../platform/service-proof.ts'
import { badSettingsFile, readSettingsFile } from '../platform/settings-file.ts'
import { PageSessions } from './page-sessions.ts'

/** Caller, as identified by a token. */
export type Caller = {
  name: string
  /** Name of the token, which records keep; null without a token. */
  tokenName: string | null
  scopes: ReadonlySet<Scope>
  /** Only project that the token may access; null for all projects. */
  project: string | null
}

const EVERYTHING: ReadonlySet<Scope> = new Set(SCOPES)

/** Caller if TURNGRAPH_AUTH is off. */
export const ANYONE: Caller = { name: 'anyone', tokenName: null, scopes: EVERYTHING, project: null }

/** File of TURNGRAPH_TOKENS. It has the SHA-256 of each token in hexadecimal, and no secret. */
const tokensFile = z.array(
  z.strictObject({
    name,
    sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits'),
    scopes: z.array(z.enum(SCOPES)).min(1),
    project: name.optional(),
  }),
)

type KnownToken = { hash: Buffer; caller: Caller }

export class Tokens {
  readonly #own: KnownToken
  /** Sessions of browsers. Each has the rights of the token that requested it. */
  readonly pageSessions = new PageSessions()
  readonly #file: string | null
  #further: readonly KnownToken[]
  #stamp: string | null
  #lookedAt = 0

  /** @throws `invalid_request` if the file is not valid */
  constructor(own: KnownToken, file: string | null) {
    this.#own = own
    this.#file = file
    this.#stamp = file === null ? null : readStamp(file)
    this.#further = file === null ? [] : readTokensFile(file)
  }

  /** Finds the caller of a token. Compares it with every known token in constant time, so that the duration reveals nothing. */
  findCaller(token: string): Caller | null {
    this.#readAgain()
    const hash = hashToken(token)
    let found: Caller | null = null
    for (const { hash: known, caller } of [this.#own, ...this.#further])
      if (timingSafeEqual(known, hash)) found = caller
    return found ?? this.#findPageCaller(token)
  }

  #findPageCaller(token: string): Caller | null {
    const name = this.pageSessions.useSession(token, Date.now())
    const listed = [this.#own, ...this.#further].find(({ caller }) => caller.name === name)
    return listed?.caller ?? null // null too if the token of the session was taken out of the file
  }

  /** Makes a proof that this service knows the token with this hint; null if it does not know it. */
  prove(hint: string, nonce: string, port: number | null): string | null {
    this.#readAgain()
    const known = [this.#own, ...this.#further].find(({ hash }) => tokenHint(hash) === hint)
    return known === undefined ? null : computeProof(known.hash, nonce, port)
  }

  /** Reads a changed file again, so that a removed token is rejected without a restart. Ignores a file that is not valid. */
  #readAgain(): void {
    if (this.#file === null || performance.now() - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = performance.now()
    const stamp = readStamp(this.#file)
    if (stamp === null || stamp === this.#stamp) return
    try {
      this.#further = readTokensFile(this.#file)
      this.#stamp = stamp
    } catch (error) {
      if (!hasCode(error, 'invalid_request')) throw error
    }
  }
}

const LOOK_MS = 1_000

/** Returns a value that changes with the file; null if the file is missing. */
function readStamp(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? null : `${found.mtimeNs} ${found.ino} ${found.size}`
}

const OWN_TOKEN = 'data folder'

/** Loads the tokens of a service: the token of its data folder, which the first start creates, and those of the file. */
export function loadTokens({
  dataFolder,
  tokensFile: file,
}: Pick<Config, 'dataFolder' | 'tokensFile'>): Tokens {
  const own = { name: OWN_TOKEN, tokenName: OWN_TOKEN, scopes: EVERYTHING, project: null }
  return new Tokens({ hash: hashToken(ownToken(dataFolder)), caller: own }, file)
}

/** @throws `invalid_request` if another person may know or have written the token */
function ownToken(dataFolder: string): string {
  const found = readTokenFile(dataFolder)
  if (found === null) {
    const made = randomBytes(32).toString('base64url')
    if (createPrivateFile(tokenFileIn(dataFolder), `${made}\n`)) return made
  }
  const token = found ?? readTokenFile(dataFolder) ?? ''
  if (token.length >= MIN_LENGTH) return token
  throw new TurngraphError(
    'invalid_request',
    `${tokenFileIn(dataFolder)} holds no token of at least ${MIN_LENGTH} characters.`,
    {
      hint: 'Remove the file: the next start makes a new one.',
    },
  )
}

const MIN_LENGTH = 16

function readTokensFile(file: string): KnownToken[] {
  const from = { variable: 'TURNGRAPH_TOKENS', file, form: TOKENS_FORM }
  const listed = readSettingsFile(from, tokensFile)
  const names = listed.map((entry) => entry.name)
  const twice = names.find((entry, index) => names.indexOf(entry) !== index)
  if (twice !== undefined) throw badSettingsFile(from, `two tokens are named "${twice}"`)
  return listed.map(({ name: given, sha256: hex, scopes, project }) => ({
    hash: Buffer.from(hex, 'hex'),
    caller: {
      name: `token ${given}`,
      tokenName: given,
      scopes: scopes.includes('admin') ? EVERYTHING : new Set(scopes),
      project: project ?? null,
    },
  }))
}

const TOKENS_FORM =
  'It is a JSON list of {"name", "sha256", "scopes", "project"?}; scopes are read, write, analyst, admin.'
