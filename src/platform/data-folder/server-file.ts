// Reads and writes the file that says where the service of a data folder answers.
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { systemCode } from '../../core/system-code.ts'
import { replacePrivateFile } from './private-file.ts'

/** Where the service of a data folder answers: commands find it here and go through it. */
const serverFile = z.object({ pid: z.number().int(), url: z.url(), version: z.string() })
type ServerFile = z.output<typeof serverFile>

const fileIn = (dataFolder: string): string => path.join(dataFolder, 'server.json')

export function writeServerFile(dataFolder: string, content: ServerFile): void {
  replacePrivateFile(fileIn(dataFolder), `${JSON.stringify(content)}\n`)
}

/**
 * `null` where there is no such file. Whether its process lives is another question.
 *
 * @throws `invalid_request` where the file is damaged: it appears whole or not at all, so something else wrote to it
 */
export function readServerFile(dataFolder: string): ServerFile | null {
  const file = fileIn(dataFolder)
  try {
    return serverFile.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    const code = systemCode(cause)
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR') {
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

/** Only our own: another process may have taken the folder over meanwhile. */
export function removeServerFile(dataFolder: string, url: string): void {
  const named = readServerFile(dataFolder)
  if (named?.pid === process.pid && named.url === url) rmSync(fileIn(dataFolder), { force: true })
}
