// Gives a bench its temporary folder and its store, and writes its figures.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Runs `work` with a temporary folder, which is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function writeFigures(out: string, figures: object): void {
  mkdirSync(path.dirname(out), { recursive: true })
  writeFileSync(out, `${JSON.stringify(figures, null, 2)}\n`)
}

/**
 * The setting of a store. The default is the store of the environment, or the embedded graph in the data
 * folder.
 */
export const storeSetting = (store: string | null): Record<string, string> =>
  store === null ? {} : { TURNGRAPH_STORE: store }
