// Reads and writes the file with the address of the service of a data folder.
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { hasCode, TurngraphError } from '../../core/errors.ts'
import { parseJson } from '../../core/parse-json.ts'
import { systemCode } from '../../core/system-code.ts'
import { quoteForShell } from '../../rules/command-line.ts'
import { isLoopback } from '../loopback.ts'
import { readPrivateFile, replacePrivateFile } from './private-file.ts'

const serverFile = z.object({ pid: z.number().int(), url: z.url(), version: z.string() })
type ServerFile = z.output<typeof serverFile>

const fileIn = (dataFolder: string): string => path.join(dataFolder, 'server.json')

/** Writes the address of the service. Commands use only a loopback address from it; any other one belongs in TURNGRAPH_URL. */
export function writeServerFile(dataFolder: string, content: ServerFile): void {
  if (!isLoopback(new URL(content.url).hostname)) return
  replacePrivateFile(fileIn(dataFolder), `${JSON.stringify(content)}\n`)
}

/**
 * Returns the address of a data folder's service; null if the file does not exist. Its process may have ended.
 * @throws `invalid_request` if another person may have written the file, if it is damaged, or if it names another machine
 */
export function readServerFile(dataFolder: string): ServerFile | null {
  const file = fileIn(dataFolder)
  try {
    const text = readPrivateFile(file, `Remove it: rm ${quoteForShell(file)}`)
    if (text === null) return null
    const named = serverFile.parse(JSON.parse(text))
    if (isLoopback(new URL(named.url).hostname)) return named
    throw new TurngraphError('invalid_request', `${file} is not used: ${named.url} is not on this machine.`, {
      hint: `Set TURNGRAPH_URL if commands should use that service, and remove the file: rm ${quoteForShell(file)}`,
    })
  } catch (cause) {
    if (hasCode(cause, 'invalid_request')) throw cause
    if (systemCode(cause) === 'ENOTDIR') {
      throw new TurngraphError('invalid_request', `The data folder ${dataFolder} is no folder.`, {
        hint: 'Name a folder with TURNGRAPH_DATA; it is made where it is not there yet.',
        cause,
      })
    }
    throw new TurngraphError('invalid_request', `${file} is damaged: it does not say where a service is.`, {
      hint: 'Remove the file, and start the service again where one runs: it writes a new one.',
      cause,
    })
  }
}

/** Removes the file of this process. Another process may have replaced it with its own. */
export function removeServerFile(dataFolder: string, url: string): void {
  const file = fileIn(dataFolder)
  const named = serverFile.safeParse(parseJson(readIfPresent(file) ?? '')).data
  if (named?.pid === process.pid && named.url === url) rmSync(file, { force: true })
}

function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}
