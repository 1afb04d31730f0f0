// Takes the identity of a data folder. Only one process can have it at a time.
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import type { Config } from '../platform/config.ts'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { createPrivateFile, readPrivateFile } from '../platform/data-folder/private-file.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { EmbeddedGraph } from './embedded.ts'

export type Instance = {
  /** The UUID of the data folder. It identifies this replica in leases, also after a restart. */
  id: string
  release(): Promise<void>
}

/**
 * Takes the identity of the data folder. Only one process can have it at a time, so work that an earlier
 * process of this instance left unfinished is certainly over. If the store itself lies in the data folder, it
 * is already locked.
 *
 * @throws `store_unavailable` with the name of the process that has the identity
 */
export async function holdInstance({
  dataFolder,
  store,
}: Pick<Config, 'dataFolder' | 'store'>): Promise<Instance> {
  const locked = store.kind === 'embedded' && store.folder === dataFolder
  return locked ? { id: ownInstance(dataFolder), release: async () => {} } : holdFolder(dataFolder)
}

/**
 * Takes the identity of a folder with its lock. The lock belongs to the operating system: a kill -9 releases
 * it, a SIGSTOP does not. Node has no such lock but the embedded engine has, so the lock is an embedded graph
 * that stays empty.
 *
 * @throws `store_unavailable` with the name of the process that has the identity
 */
export async function holdFolder(folder: string): Promise<Instance> {
  makeDataFolder(folder)
  const lock = EmbeddedGraph.open({ folder: path.join(folder, 'instance.lock'), sync: false })
  return { id: ownInstance(folder), release: async () => lock.close() }
}

/** Reads the identity of a service of this folder, or null if no service ever used the folder. */
export function readInstance(dataFolder: string): string | null {
  const file = fileIn(dataFolder)
  const text = readPrivateFile(file, `Remove it: rm -r ${quoteForShell(file)}`)
  if (text === null) return null
  const { success, data } = z.uuid().safeParse(text.trim())
  if (success) return data
  throw new TurngraphError('invalid_request', `${file} is damaged: it holds no identity, which is a UUID.`, {
    hint: 'Remove the file: the next start creates a new one. Runs of the old identity end when their leases expire.',
  })
}

const fileIn = (dataFolder: string): string => path.join(dataFolder, 'instance')

function ownInstance(dataFolder: string): string {
  const instance = readInstance(dataFolder)
  if (instance !== null) return instance
  createPrivateFile(fileIn(dataFolder), `${crypto.randomUUID()}\n`)
  return ownInstance(dataFolder)
}
