import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { replacePrivateFile } from './private-file.ts'

/** Where the service of a data folder answers: commands find it here and go through it. */
const serverFile = z.object({ pid: z.number().int(), url: z.url(), version: z.string() })
export type ServerFile = z.output<typeof serverFile>

const fileIn = (dataFolder: string): string => path.join(dataFolder, 'server.json')

export function writeServerFile(dataFolder: string, content: ServerFile): void {
  replacePrivateFile(fileIn(dataFolder), `${JSON.stringify(content)}\n`)
}

/** `null` where there is none, or none that can be read. Whether its process lives is another question. */
export function readServerFile(dataFolder: string): ServerFile | null {
  try {
    return serverFile.parse(JSON.parse(readFileSync(fileIn(dataFolder), 'utf8')))
  } catch {
    return null // no service has said where it is: the same as none
  }
}

/** Only our own: another process may have taken the folder over meanwhile. */
export function removeServerFile(dataFolder: string, url: string): void {
  const held = readServerFile(dataFolder)
  if (held?.pid === process.pid && held.url === url) rmSync(fileIn(dataFolder), { force: true })
}
