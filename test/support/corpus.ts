import { existsSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

const root = fileURLToPath(new URL('../../../shared/corpus/autobuild/', import.meta.url))

/** Lists the repositories with real autobuild artifacts; empty if the corpus is missing. */
export const corpusRepositories = (): { name: string; root: string }[] =>
  existsSync(root)
    ? readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        // The reader names folders by their real path, so the oracle must start from it.
        .map(({ name }) => ({ name, root: realpathSync(path.join(root, name)) }))
    : []

/** Declares a suite over the real data. Without the data it is skipped, or fails under REQUIRE_CORPUS=1. */
export function describeCorpus(name: string, suite: () => void): void {
  const present = existsSync(root)
  if (!present && process.env.REQUIRE_CORPUS === '1') {
    test(`${name}: the corpus is here`, () => {
      throw new Error(`REQUIRE_CORPUS=1, but there is no ${root}`)
    })
    return
  }
  if (!present) console.log(`Left out: ${name}. There is no ${root}.`)
  describe.skipIf(!present)(name, suite)
}
