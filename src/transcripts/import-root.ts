import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'

/**
 * The real place of a path that a service was asked to read: below one of the folders that its operator named, also
 * after every link was followed.
 *
 * @throws `forbidden` for every other one, whether it exists or not
 */
export async function importRoot(given: string, roots: readonly string[]): Promise<string> {
  const found = await realpath(given).catch(() => null)
  for (const root of roots) {
    const real = await realpath(root).catch(() => null)
    if (found === null || real === null) continue
    if (found === real || found.startsWith(real.endsWith(path.sep) ? real : `${real}${path.sep}`))
      return found
  }
  throw new TurngraphError(
    'forbidden',
    `path: ${given} is not below a folder that this service imports from.`,
    {
      hint: 'Its operator names them in TURNGRAPH_IMPORT_ROOTS. `turngraph import transcripts` sends your own files.',
      details: { problems: [{ path: 'path', message: 'is not below TURNGRAPH_IMPORT_ROOTS' }] },
    },
  )
}
