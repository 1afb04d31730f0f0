import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'

describe('the data folder of a working folder', () => {
  let root = ''
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), 'turngraph-folder-')))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const folder = (...parts: string[]): string => {
    const made = path.join(root, ...parts)
    mkdirSync(made, { recursive: true })
    return made
  }
  const file = (...parts: string[]): void => {
    folder(...parts.slice(0, -1))
    writeFileSync(path.join(root, ...parts), '')
  }
  const found = (...parts: string[]): string =>
    path.relative(root, loadConfig({}, folder(...parts)).dataFolder)

  test('is the one in use above it in its repository', () => {
    folder('shop', '.git')
    file('shop', '.turngraph', 'graph.db')
    expect(found('shop', 'src', 'deep')).toBe('shop/.turngraph')
    expect(found('shop')).toBe('shop/.turngraph')
  })

  test('is the nearest one', () => {
    folder('shop', '.git')
    file('shop', '.turngraph', 'graph.db')
    file('shop', 'api', '.turngraph', 'token')
    expect(found('shop', 'api', 'src')).toBe('shop/api/.turngraph')
  })

  test('is in the working folder itself if none above it is in use', () => {
    folder('shop', '.git')
    file('shop', '.turngraph', 'task.json')
    expect(found('shop', 'src')).toBe('shop/src/.turngraph')
  })

  test('is never outside of its repository, or above a folder without one', () => {
    file('.turngraph', 'graph.db')
    folder('shop', '.git')
    expect(found('shop', 'src')).toBe('shop/src/.turngraph')
    expect(found('notes')).toBe('notes/.turngraph')
  })

  test.skipIf(process.getuid?.() !== 0)('is never a folder above it that belongs to another user', () => {
    folder('shop', '.git')
    file('shop', '.turngraph', 'graph.db')
    chownSync(path.join(root, 'shop', '.turngraph'), 12_345, 12_345)
    expect(found('shop', 'src')).toBe('shop/src/.turngraph')
  })

  test('is never a link above it, or a folder above it that others may write to', () => {
    folder('shop', '.git')
    file('other', 'graph.db')
    symlinkSync(path.join(root, 'other'), path.join(root, 'shop', '.turngraph'))
    expect(found('shop', 'src')).toBe('shop/src/.turngraph')
    rmSync(path.join(root, 'shop', '.turngraph'))
    file('shop', '.turngraph', 'graph.db')
    chmodSync(path.join(root, 'shop', '.turngraph'), 0o777)
    expect(found('shop', 'src')).toBe('shop/src/.turngraph')
  })

  test('is found in a worktree, whose .git is a file, but not above it outside of a repository', () => {
    file('tree', '.git')
    expect(found('tree', 'src')).toBe('tree/src/.turngraph')
    file('tree', '.turngraph', 'graph.db')
    expect(found('tree', 'src')).toBe('tree/.turngraph')
    file('.turngraph', 'graph.db')
    rmSync(path.join(root, 'tree', '.turngraph'), { recursive: true })
    expect(found('tree', 'src')).toBe('tree/src/.turngraph')
  })

  test('is the one that TURNGRAPH_DATA names', () => {
    folder('shop', '.git')
    file('shop', '.turngraph', 'graph.db')
    const { dataFolder } = loadConfig({ TURNGRAPH_DATA: 'data' }, folder('shop', 'src'))
    expect(path.relative(root, dataFolder)).toBe('shop/src/data')
  })
})
