import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GraphFile } from './graph-file.ts'

describe('the file of an open graph', () => {
  let folder: string
  let file: string

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'turngraph-graph-file-'))
    file = path.join(folder, 'graph.db')
    writeFileSync(file, Buffer.alloc(256 * 1024))
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  test('is accepted after the engine has made the opened file smaller', () => {
    const opened = new GraphFile(file)
    truncateSync(file, 64 * 1024)
    expect(() => opened.refuseIfGone()).not.toThrow()
  })

  test('is rejected after a cut below the initial size of the engine, even if it grew again', () => {
    const opened = new GraphFile(file)
    truncateSync(file, 16 * 1024)
    expect(() => opened.refuseIfGone()).toThrow('was deleted, cut off or replaced')
    truncateSync(file, 256 * 1024)
    expect(() => opened.refuseIfGone()).toThrow('was deleted, cut off or replaced')
  })
})
