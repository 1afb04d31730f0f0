/** Reads the token that the service of a data folder made for the commands of its user. */
import path from 'node:path'
import { quoteForShell } from '../../rules/command-line.ts'
import { readPrivateFile } from './private-file.ts'

export const tokenFileIn = (dataFolder: string): string => path.join(dataFolder, 'token')

export const newToken = (file: string): string =>
  `Others may know this token. Make a new one: rm ${quoteForShell(file)}, then turngraph serve`

/** @throws `invalid_request` if git tracks the file, or another user may read or change it */
export function readTokenFile(dataFolder: string): string | null {
  const file = tokenFileIn(dataFolder)
  return readPrivateFile(file, newToken(file))?.trim() ?? null
}
