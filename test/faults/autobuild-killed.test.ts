import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { survivesItsDeath } from './harness/killed-loop.ts'

survivesItsDeath(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-loop-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return `embedded:${folder}`
})
