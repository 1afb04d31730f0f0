import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Store } from '../config.ts'

/** The store for a command that only looks: where there is no embedded graph yet, an empty one in memory. */
export const existingStore = (store: Store): Store =>
  store.kind === 'embedded' && store.folder !== null && !existsSync(path.join(store.folder, 'graph.db'))
    ? { ...store, folder: null }
    : store
