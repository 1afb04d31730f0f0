import { TurngraphError } from '../errors.ts'
import { holdFolder, type Instance } from '../http/instance.ts'

/**
 * One process has a spool at a time: two would send its turns twice, and out of order. The identity beside the lock is
 * who this program is in leases, in this life and in the next.
 *
 * @throws `store_unavailable` where another process has it
 */
export async function holdSpool(folder: string): Promise<Instance> {
  try {
    return await holdFolder(folder)
  } catch (cause) {
    if (!(cause instanceof TurngraphError)) throw cause
    throw new TurngraphError('store_unavailable', `The spool in ${folder} is in use by another process.`, {
      hint: 'Give each process a spool of its own, or end the other one.',
      cause,
    })
  }
}
