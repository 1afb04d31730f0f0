// Takes the identity of a data folder, which one process has at a time.
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import type { Config } from '../platform/config.ts'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { createPrivateFile, readPrivateFile } from '../platform/data-folder/private-file.ts'
import { EmbeddedGraph } from './embedded.ts'

export type Instance = {
  /** The UUID of the data folder: who this replica is in leases, in this life and in the next. */
  id: string
  release(): Promise<void>
}

/**
 * Takes the data folder's identity. One process has it at a time, so that whatever an earlier life of this instance
 * left behind is certainly over. Where the store itself lies in the data folder it is locked already.
 *
 * @throws `store_unavailable` that names the process which holds it
 */
export async function holdInstance({
  dataFolder,
  store,
}: Pick<Config, 'dataFolder' | 'store'>): Promise<Instance> {
  const locked = store.kind === 'embedded' && store.folder === dataFolder
  return locked ? { id: ownInstance(dataFolder), release: async () => {} } : holdFolder(dataFolder)
}

/**
 * The identity of a folder, with its lock. The lock is the operating system's, which a kill -9 releases and a SIGSTOP
 * does not; Node has none, the embedded engine has, so it is an embedded graph that nothing is ever written to.
 *
 * @throws `store_unavailable` that names the process which holds it
 */
export async function holdFolder(folder: string): Promise<Instance> {
  makeDataFolder(folder)
  const lock = EmbeddedGraph.open({ folder: path.join(folder, 'instance.lock'), sync: false })
  return { id: ownInstance(folder), release: async () => lock.close() }
}

/** Who a service of this folder is; null where none ever was. */
export function readInstance(dataFolder: string): string | null {
  const file = fileIn(dataFolder)
  const text = readPrivateFile(file, `Remove it: rm -r ${file}`)
  if (text === null) return null
  const { success, data } = z.uuid().safeParse(text.trim())
  if (success) return data
  throw new TurngraphError('invalid_request', `${file} is damaged: it holds no identity, which is a UUID.`, {
    hint: 'Remove the file: the next start makes a new one. Runs of the former one end when their leases do.',
  })
}

const fileIn = (dataFolder: string): string => path.join(dataFolder, 'instance')

function ownInstance(dataFolder: string): string {
  const instance = readInstance(dataFolder)
  if (instance !== null) return instance
  createPrivateFile(fileIn(dataFolder), `${crypto.randomUUID()}\n`)
  return ownInstance(dataFolder)
}
