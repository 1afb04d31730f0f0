import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const script = path.join(root, 'scripts/check-pins.mjs')

/** Runs the check on a copy of the files, one of which has changed. */
function checkWith(file: string, change: (text: string) => string): { status: number | null; said: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-pins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['package-lock.json', 'Dockerfile', 'docker-compose.yml'])
    cpSync(path.join(root, name), path.join(folder, name))
  writeFileSync(path.join(folder, file), change(readFileSync(path.join(folder, file), 'utf8')))
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
  return { status, said: stderr }
}

test('the check names a package without integrity and a base image without digest, and passes on this repository', () => {
  expect(checkWith('Dockerfile', (text) => text)).toEqual({ status: 0, said: '' })
  const withoutIntegrity = checkWith('package-lock.json', (text) => {
    const lock = JSON.parse(text)
    lock.packages['node_modules/zod'].integrity = undefined
    return JSON.stringify(lock)
  })
  expect(withoutIntegrity).toMatchObject({ status: 1, said: expect.stringMatching(/zod@\S+ has no sha512/) })
  for (const file of ['Dockerfile', 'docker-compose.yml']) {
    const unpinned = checkWith(file, (text) => text.replace(/@sha256:[0-9a-f]{64}/, ''))
    expect(unpinned).toMatchObject({ status: 1, said: expect.stringMatching(/has no digest/) })
  }
})
