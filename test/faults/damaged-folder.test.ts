import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder, PROCESS_TEST_MS } from './harness/in-test.ts'
import { runCli } from './harness/service-process.ts'

const COMMANDS = [['worlds'], ['serve', '--port', '0']]

describe.each(COMMANDS)('turngraph %s', (...command) => {
  test('reports why a graph cannot be opened and how to restore it, and blames no process for it', {
    timeout: PROCESS_TEST_MS,
  }, async () => {
    const folder = folderWith('graph.db', 'no graph at all'.repeat(1_000))
    // Simulates a killed process whose number another process has now.
    writeFileSync(path.join(folder, 'holder.json'), JSON.stringify({ pid: process.pid, command: 'vitest' }))
    const { exitCode, output } = await runCli(command, { dataFolder: folder })
    expect(output).toContain(`The graph in ${folder} cannot be opened:`)
    expect(output).toContain('invalid file header')
    expect(output).toContain('turngraph restore')
    expect(output).not.toContain('vitest')
    expect(exitCode).toBe(7)
  })

  test.each([
    ['instance', 'no uuid'],
    ['server.json', '{"pid": 1'],
  ])('names a damaged %s, and what to do', { timeout: PROCESS_TEST_MS }, async (file, text) => {
    const folder = folderWith(file, text)
    const { exitCode, output } = await runCli(command, { dataFolder: folder })
    expect(output).toContain(`${path.join(folder, file)} is damaged`)
    expect(output).toContain('Remove the file')
    expect(output).not.toMatch(/^\s+at /m)
    expect(exitCode).toBe(2)
  })
})

function folderWith(file: string, text: string): string {
  const folder = newFolder()
  const data = path.join(folder, 'data')
  mkdirSync(data)
  writeFileSync(path.join(data, file), text, { mode: 0o600 })
  return data
}
