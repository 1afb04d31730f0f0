/** Tells who has the folder of an embedded graph: its lock, which the engine takes, names nobody. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { diskError, TurngraphError } from '../../core/errors.ts'

const holderSchema = z.object({ pid: z.number(), command: z.string() })
type Holder = z.output<typeof holderSchema>

const holderFile = (folder: string): string => path.join(folder, 'holder.json')

/** A graph on a full disk can still be read and exported: others are only not told who has it. */
export function writeHolder(folder: string): void {
  const holder: Holder = { pid: process.pid, command: process.argv.slice(1).join(' ') }
  try {
    writeFileSync(holderFile(folder), JSON.stringify(holder), { mode: 0o600 })
  } catch (error) {
    if (diskError(error) === null) throw error
  }
}

export const removeHolder = (folder: string): void => rmSync(holderFile(folder), { force: true })

/** True where the last process that had the folder did not close it, or has not closed it yet. */
export const hasHolder = (folder: string): boolean => existsSync(holderFile(folder))

/** The error of an opening that met the lock of another process. */
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

/** Whether another process has the folder, which it may let go of. */
export const isInUse = (error: unknown): error is InUseError =>
  error instanceof TurngraphError && Object.hasOwn(Object(error.details), 'held_by')

function readHolder(folder: string): Holder | null {
  try {
    const holder = holderSchema.parse(JSON.parse(readFileSync(holderFile(folder), 'utf8')))
    process.kill(holder.pid, 0)
    return holder
  } catch {
    return null // no file, or its process is gone: it is not the one that has the lock
  }
}
