import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_NAME, makeDataFolder } from './make-data-folder.ts'
import { readOwnFile } from './own-file.ts'

test('nothing is read or written through a link that a repository brings', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'turngraph-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const elsewhere = path.join(root, 'elsewhere')
  const repository = path.join(root, 'repository')
  for (const folder of [elsewhere, repository]) mkdirSync(folder)
  const link = path.join(repository, DEFAULT_NAME)
  symlinkSync(elsewhere, link)
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' })
  git('init', '-q')
  git('add', '-f', DEFAULT_NAME)
  expect(() => makeDataFolder(link)).toThrow(`${link} is not used: it is a link that git tracks.`)
  expect(readdirSync(elsewhere)).toEqual([])
  writeFileSync(path.join(elsewhere, 'token'), 'secret', { mode: 0o600 })
  expect(() => readOwnFile(path.join(link, 'token'), '')).toThrow('it is a link that git tracks')
})
