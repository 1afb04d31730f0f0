import { existsSync } from 'node:fs'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { holdFolder, type Instance } from '../graph/instance-lock.ts'

/**
 * One process has a spool at a time: two would send its turns twice, and out of order. The identity beside the lock is
 * who this program is in leases, in this life and in the next.
 *
 * @throws `store_unavailable` where another process has it, or the disk refuses
 */
export async function holdSpool(folder: string): Promise<Instance> {
  try {
    const held = await holdFolder(folder)
    const release = () =>
      held.release().catch((error: unknown) => {
        // Whoever has removed the folder has removed its lock.
        if (existsSync(path.join(folder, 'instance.lock'))) throw error
      })
    return { ...held, release }
  } catch (cause) {
    const held = cause instanceof TurngraphError
    const what = held ? 'is in use by another process' : 'cannot be used'
    throw new TurngraphError('store_unavailable', `The spool in ${folder} ${what}.`, {
      hint: held
        ? 'Give each process a spool of its own, or end the other one.'
        : 'Check that it is a folder, and that it can be written.',
      cause,
    })
  }
}
