import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Store } from '../platform/config.ts'

/** The store for a command that only looks: where there is no embedded graph yet, an empty one in memory. */
export const existingStore = (store: Store): Store =>
  store.kind === 'embedded' && store.folder !== null && !hasGraph(store.folder)
    ? { ...store, folder: null }
    : store

/** Also where only its marks are left: that graph is lost, and not none. */
const hasGraph = (folder: string): boolean =>
  ['graph.db', 'graph.acknowledged'].some((name) => existsSync(path.join(folder, name)))
