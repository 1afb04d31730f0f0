/**
 * Recognizes errors of input and output, of Node and of the embedded engine: they are the machine's, pass when somebody
 * makes room, and are no defect of Turngraph.
 */
import { constants } from 'node:os'
import path from 'node:path'

const { ENOSPC, EDQUOT, EROFS, EFBIG, EIO, EMFILE, ENFILE } = constants.errno

/** By number: Node has no name for all of them. */
const MEANINGS: ReadonlyMap<number, (place: string) => string> = new Map<number, (place: string) => string>([
  [ENOSPC, (place) => `No space left in ${place}.`],
  [EDQUOT, (place) => `The disk quota is used up in ${place}.`],
  [EROFS, (place) => `The disk of ${place} is read-only.`],
  [EFBIG, (place) => `A file in ${place} may not grow any further.`],
  [EIO, (place) => `The disk of ${place} failed.`],
  [EMFILE, () => 'This process has too many files open.'],
  [ENFILE, () => 'This machine has too many files open.'],
])

/**
 * Says what is wrong with the disk; null where something else was thrown.
 *
 * @param folder where it happened; default: the folder of the file that Node names
 */
export function describeDiskFault(thrown: unknown, folder?: string): string | null {
  if (!(thrown instanceof Error)) return null
  const describe = MEANINGS.get(systemErrorNumber(thrown))
  if (describe === undefined) return describeDiskFault(thrown.cause, folder)
  return describe(folder ?? folderIn(thrown) ?? 'the data folder')
}

/** The engine is written in Rust, whose errors end in the number, in whatever language the rest is. */
function systemErrorNumber(error: Error): number {
  if ('errno' in error && typeof error.errno === 'number') return -error.errno
  return Number(/\(os error (\d+)\)/.exec(error.message)?.[1])
}

const folderIn = (error: Error): string | null =>
  'path' in error && typeof error.path === 'string' ? path.dirname(error.path) : null
