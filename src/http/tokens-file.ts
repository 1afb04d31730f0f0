// Reads and changes the file of tokens: that of TURNGRAPH_TOKENS, otherwise `tokens.json` in the data folder.
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { parseJson } from '../core/parse-json.ts'
import { SCOPES } from '../operations/operation.ts'
import type { Config } from '../platform/config.ts'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { readPrivateFile, replacePrivateFile } from '../platform/data-folder/private-file.ts'
import { withFileLock } from '../platform/file-lock.ts'
import { createToken, hashToken } from '../platform/service-proof.ts'
import { badSettingsFile, readSettingsFile } from '../platform/settings-file.ts'
import { quoteForShell } from '../rules/command-line.ts'

/** Entry of the file. It has the SHA-256 of a token in hexadecimal, and no secret. */
const tokenEntry = z.strictObject({
  name,
  sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits'),
  scopes: z.array(z.enum(SCOPES)).min(1),
  project: name.optional(),
})
const tokenEntries = z.array(tokenEntry)

type TokenEntry = z.output<typeof tokenEntry>

export const tokenRequest = tokenEntry.omit({ sha256: true })

/** Place of the tokens. A file of the data folder may be absent, and a file that another person may have written is refused. */
export type TokensPlace = { file: string; isInDataFolder: boolean }

export const tokensPlace = ({
  dataFolder,
  tokensFile,
}: Pick<Config, 'dataFolder' | 'tokensFile'>): TokensPlace =>
  tokensFile === null
    ? { file: path.join(dataFolder, 'tokens.json'), isInDataFolder: true }
    : { file: tokensFile, isInDataFolder: false }

/** @throws `invalid_request` if the file is not valid, or if two tokens have one name */
export function readTokensFile({ file, isInDataFolder }: TokensPlace): TokenEntry[] {
  const from = { variable: isInDataFolder ? 'tokens' : 'TURNGRAPH_TOKENS', file, form: FORM }
  const entries = isInDataFolder ? readOwnEntries(from) : readSettingsFile(from, tokenEntries)
  const names = entries.map((entry) => entry.name)
  const twice = names.find((entry, index) => names.indexOf(entry) !== index)
  if (twice !== undefined) throw badSettingsFile(from, `two tokens are named "${twice}"`)
  return entries
}

/** Reads the file of the data folder. A repository must not bring a token of its author. */
function readOwnEntries(from: { variable: string; file: string; form: string }): TokenEntry[] {
  const text = readPrivateFile(
    from.file,
    `Others may know these tokens. Make new ones: rm ${quoteForShell(from.file)}`,
  )
  if (text === null) return []
  const parsed = tokenEntries.safeParse(parseJson(text))
  if (!parsed.success) throw badSettingsFile(from, z.prettifyError(parsed.error))
  return parsed.data
}

const FORM = `It is a JSON list of {"name", "sha256", "scopes", "project"?}; scopes are ${SCOPES.join(', ')}.`

/**
 * Adds a new token, and returns it. Only its hash is stored.
 *
 * @throws `invalid_request` if the name is taken, or if the file is not valid
 */
export function addToken(place: TokensPlace, { name, ...rights }: z.output<typeof tokenRequest>): string {
  const token = createToken()
  const sha256 = hashToken(token).toString('hex')
  changeEntries(place, (entries) => {
    if (entries.some((entry) => entry.name === name))
      throw new TurngraphError('invalid_request', `A token is named "${name}" already.`, {
        hint: `Choose another name, or remove it first: turngraph token revoke ${JSON.stringify(name)}`,
      })
    return [...entries, { name, sha256, ...rights }]
  })
  return token
}

/** Removes a token. @throws `not_found` if no token has the name */
export function removeToken(place: TokensPlace, name: string): void {
  changeEntries(place, (entries) => {
    const rest = entries.filter((entry) => entry.name !== name)
    if (rest.length === entries.length)
      throw new TurngraphError('not_found', `No token is named "${name}" in ${place.file}.`, {
        hint: '`turngraph token list` lists them.',
      })
    return rest
  })
}

/** Reads a file that is about to be changed; a file of TURNGRAPH_TOKENS may be absent, too. */
export const readEntries = (place: TokensPlace): TokenEntry[] =>
  existsSync(place.file) ? readTokensFile(place) : []

/** Maximum time that a command waits while another command changes the file. */
const LOCK_WAIT_MS = 10_000

/** Reads the file, changes its entries and replaces it. Concurrent commands lose no token. */
function changeEntries(place: TokensPlace, change: (entries: TokenEntry[]) => TokenEntry[]): void {
  const { file, isInDataFolder } = place
  const folder = path.dirname(file)
  if (isInDataFolder) makeDataFolder(folder)
  else mkdirSync(folder, { recursive: true, mode: 0o700 })
  withFileLock(`${file}.lock`, LOCK_WAIT_MS, () => {
    const entries = change(readEntries(place))
    replacePrivateFile(file, `${JSON.stringify(entries, null, 2)}\n`)
  })
}
