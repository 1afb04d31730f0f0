/** Names a store as texts for users do: `Neo4j at bolt://db:7687`, `the graph in ./.turngraph`. */
import path from 'node:path'
import type { Store } from './config.ts'

export const storeName = (store: Store): string =>
  store.kind === 'neo4j'
    ? `Neo4j at ${store.url}`
    : `the graph in ${store.folder === null ? 'memory' : shownFolder(store.folder)}`

/** Relative to the working folder where it is below that: shorter, and what the user typed. */
export function shownFolder(folder: string, workingFolder = process.cwd()): string {
  const below = path.relative(workingFolder, folder)
  const isBelow = below !== '' && !below.startsWith('..') && !path.isAbsolute(below)
  return isBelow ? `./${below.replaceAll(path.sep, '/')}` : folder
}
