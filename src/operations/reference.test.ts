import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Rules of the generated docs/reference.md. */
const reference = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8')

/** Returns the first cells of the table in a section. */
function firstCells(heading: string): string[] {
  const [, after = ''] = reference.split(`\n### ${heading}\n`)
  const [section = ''] = after.split('\n#', 1)
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell)
}

test('the reference lists the fields of each object in a turn', () => {
  expect(firstCells('`judge`')).toEqual(['agent', 'model', 'prompt_digest'])
  expect(firstCells('`player`')).toEqual(['agent', 'model'])
  const tokens = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens']
  const usageOf = (role: string) => [role, ...tokens.map((field) => `${role}.${field}`)]
  expect(firstCells('`usage`')).toEqual([...usageOf('player'), ...usageOf('coach')])
  const verification = firstCells('Each of `verifications`')
  expect(verification).toEqual(expect.arrayContaining(['judge.agent', 'observation.report.digest']))
})

test('the table of scopes marks the fields of lists with [], and those of objects without', () => {
  expect(reference).toContain('`verifications[].judge`')
  expect(reference).toContain('`usage.player`')
  expect(reference).not.toContain('usage[]')
})

test('the table of settings has the defaults that depend on the folder', () => {
  expect(reference).toContain('| `TURNGRAPH_DATA` | `.turngraph` |')
  expect(reference).toContain('| `TURNGRAPH_TOKENS` | `tokens.json` |')
  expect(reference).toContain('| `TURNGRAPH_NEO4J_PASSWORD` | none |')
})
