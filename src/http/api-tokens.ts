// Loads the API tokens, and finds the caller that a token belongs to.
import { timingSafeEqual } from 'node:crypto'
import { statSync } from 'node:fs'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { SCOPES, type Scope } from '../operations/operation.ts'
import type { Config } from '../platform/config.ts'
import { createPrivateFile } from '../platform/data-folder/private-file.ts'
import { readTokenFile, tokenFileIn } from '../platform/data-folder/token-file.ts'
import { computeProof, createToken, hashToken, tokenHint } from '../platform/service-proof.ts'
import { PageSessions } from './page-sessions.ts'
import { readTokensFile, type TokensPlace, tokensPlace } from './tokens-file.ts'

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

type KnownToken = { hash: Buffer; caller: Caller }

export class Tokens {
  readonly #own: KnownToken
  /** Sessions of browsers. Each has the rights of the token that requested it. */
  readonly pageSessions = new PageSessions()
  readonly #place: TokensPlace
  #further: readonly KnownToken[]
  #stamp: string | null
  #lookedAt = 0

  /** @throws `invalid_request` if the file is not valid */
  constructor(own: KnownToken, place: TokensPlace) {
    this.#own = own
    this.#place = place
    this.#stamp = readStamp(place.file)
    this.#further = readKnownTokens(place)
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
    return listed?.caller ?? null
  }

  /** Makes a proof that this service knows the token with this hint; null if it does not know it. */
  prove(hint: string, nonce: string, port: number | null): string | null {
    this.#readAgain()
    const known = [this.#own, ...this.#further].find(({ hash }) => tokenHint(hash) === hint)
    return known === undefined ? null : computeProof(known.hash, nonce, port)
  }

  /**
   * Reads a changed file again, so that a removed token is rejected without a restart. Ignores a file that is not valid. If a
   * user removes the file of the data folder, as an error message advises, all of its tokens are rejected.
   */
  #readAgain(): void {
    if (performance.now() - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = performance.now()
    const stamp = readStamp(this.#place.file)
    if (stamp === this.#stamp || (stamp === null && !this.#place.isInDataFolder)) return
    try {
      const current = readKnownTokens(this.#place)
      for (const { hash, caller } of this.#further)
        if (!current.some((token) => token.hash.equals(hash))) this.pageSessions.endOf(caller.name)
      this.#further = current
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
export function loadTokens({ dataFolder, tokensFile }: Pick<Config, 'dataFolder' | 'tokensFile'>): Tokens {
  const own = { name: OWN_TOKEN, tokenName: OWN_TOKEN, scopes: EVERYTHING, project: null }
  return new Tokens(
    { hash: hashToken(ownToken(dataFolder)), caller: own },
    tokensPlace({ dataFolder, tokensFile }),
  )
}

/** @throws `invalid_request` if another person may know or have written the token */
function ownToken(dataFolder: string): string {
  const found = readTokenFile(dataFolder)
  if (found === null) {
    const made = createToken()
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

const readKnownTokens = (place: TokensPlace): KnownToken[] =>
  readTokensFile(place).map(({ name: given, sha256: hex, scopes, project }) => ({
    hash: Buffer.from(hex, 'hex'),
    caller: {
      name: `token ${given}`,
      tokenName: given,
      scopes: scopes.includes('admin') ? EVERYTHING : new Set(scopes),
      project: project ?? null,
    },
  }))
