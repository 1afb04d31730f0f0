import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { scrub } from '../../src/core/scrub/scrub.ts'
import { findSecrets } from '../../src/core/scrub/secrets.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'

const artifactsOf = (root: string): { file: string; document: unknown }[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ file, document: JSON.parse(readFileSync(path.join(root, file), 'utf8')) }))

/** Returns every string of a document, including keys. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return Object.entries(value).flatMap(([key, held]) => [key, ...textsOf(held)])
}

describeCorpus('scrubbing real autobuild artifacts', () => {
  test('ordinary text is not mangled', async () => {
    const kinds: Record<string, number> = {}
    const places: string[] = []
    let texts = 0
    let hits = 0
    let redacted = 0
    for (const { name, root } of corpusRepositories()) {
      for (const { file, document } of artifactsOf(root)) {
        for (const text of textsOf(document)) {
          const secrets = await findSecrets(text)
          texts++
          if (secrets.length > 0) hits++
          for (const { kind, start, end } of secrets) {
            kinds[kind] = (kinds[kind] ?? 0) + 1
            // The place of the hit, without its text.
            places.push(`${kind}: ${name}/${file}, ${start} to ${end} of a text of ${text.length}`)
          }
        }
        // The whole document again: the masking also depends on neighboring texts and names of fields.
        redacted += (await scrub({ extra: document })).redactions
      }
    }
    console.log(`scrubbed ${hits} of ${texts} texts of the corpus; kinds: ${JSON.stringify(kinds)}`)
    expect(texts).toBeGreaterThan(0)
    // The corpus mentions tokens, and has many addresses, hashes and paths, but contains no secret. A hit is
    // a rule that matches ordinary text, or a secret that must be removed from the corpus.
    expect(kinds, places.join('\n')).toEqual({})
    expect(redacted).toBe(0)
  }, 120_000)
})
