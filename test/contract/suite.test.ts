import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const IMPORTED = /(?:from|import\()\s*'([^']+)'/g

/** Lists the files of tests and tools that a file imports, and their packages. */
function neededBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, name = ''] of readFileSync(path.join(ROOT, file), 'utf8').matchAll(IMPORTED)) {
    const to = name.startsWith('.') ? path.join(path.dirname(file), name) : name
    if (/^(?:test|tools|bench)\//.test(to)) neededBy(to, found)
    else if (!name.startsWith('.')) found.add(to)
  }
  return found
}

test('the contract suite gets its engine from its caller, and imports no server and no driver', () => {
  const needed = [...neededBy('test/contract/all.ts')]
  expect(needed).toContain('test/contract/store.ts')
  expect(needed).toContain('vitest')
  expect(needed.filter((name) => /neo4j|^tools\//.test(name))).toEqual([])
})
