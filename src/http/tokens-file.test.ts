import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { readTokensFile } from './tokens-file.ts'

const run = promisify(execFile)
const module = new URL('tokens-file.ts', import.meta.url).href
const TOKENS_OF_PROCESS = 25

/** Adds and removes tokens of one name prefix in a process of its own. */
const script = (file: string, prefix: string) => `
const { addToken, removeToken } = await import(${JSON.stringify(module)})
const place = { file: ${JSON.stringify(file)}, isInDataFolder: true }
for (let i = 0; i < ${TOKENS_OF_PROCESS}; i++) addToken(place, { name: '${prefix}' + i, scopes: ['read'] })
removeToken(place, '${prefix}0')
`

test('two processes that change the tokens at the same time lose none', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'tokens.json')
  await Promise.all(
    ['a', 'b'].map((prefix) =>
      run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script(file, prefix)], {
        cwd: fileURLToPath(new URL('../../', import.meta.url)),
      }),
    ),
  )
  const names = readTokensFile({ file, isInDataFolder: true }).map(({ name }) => name)
  const expected = ['a', 'b'].flatMap((prefix) =>
    Array.from({ length: TOKENS_OF_PROCESS - 1 }, (_, i) => `${prefix}${i + 1}`),
  )
  expect(names.toSorted()).toEqual(expected.toSorted())
  expect(readdirSync(folder).filter((name) => name.startsWith('tokens.json'))).toEqual(['tokens.json'])
})
