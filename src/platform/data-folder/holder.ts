/** Records the process that has opened the folder of an embedded graph: the lock of the engine does not name it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { diskError, TurngraphError } from '../../core/errors.ts'

const holderSchema = z.object({ pid: z.number(), command: z.string() })
type Holder = z.output<typeof holderSchema>

const holderFile = (folder: string): string => path.join(folder, 'holder.json')

/** Writes the holder of a folder. Ignores a full disk, on which a graph can still be read and exported. */
export function writeHolder(folder: string): void {
  const holder: Holder = { pid: process.pid, command: process.argv.slice(1).join(' ') }
  try {
    writeFileSync(holderFile(folder), JSON.stringify(holder), { mode: 0o600 })
  } catch (error) {
    if (diskError(error) === null) throw error
  }
}

export const removeHolder = (folder: string): void => rmSync(holderFile(folder), { force: true })

/** True if a process has the folder open, or ended without closing it. */
export const hasHolder = (folder: string): boolean => existsSync(holderFile(folder))

export function inUseError(folder: string, cause: unknown): TurngraphError {
  const holder = readHolder(folder)
  const by = holder === null ? 'another process' : `process ${holder.pid} (${holder.command})`
  return new TurngraphError('store_unavailable', `The graph in ${folder} is held by ${by}.`, {
    hint: 'Go through that process (TURNGRAPH_URL), end it, or name another folder with TURNGRAPH_DATA.',
    details: { held_by: holder?.pid ?? null },
    cause,
  })
}

export type InUseError = TurngraphError & { details: { held_by: number | null } }

/** True if another process has the folder open, which it may close later. */
export const isInUse = (error: unknown): error is InUseError =>
  error instanceof TurngraphError && Object.hasOwn(Object(error.details), 'held_by')

function readHolder(folder: string): Holder | null {
  try {
    const holder = holderSchema.parse(JSON.parse(readFileSync(holderFile(folder), 'utf8')))
    process.kill(holder.pid, 0)
    return holder
  } catch {
    return null // without a file, or with an ended process, the holder of the lock is unknown
  }
}
