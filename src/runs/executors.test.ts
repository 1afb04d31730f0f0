import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AttemptOutcome } from './executor.ts'
import { loadExecutors } from './executors.ts'

describe('the file of executors', () => {
  const fileWith = (content: string | object): string => {
    const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-executors-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'executors.json')
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }

  const ends = async (file: string, name: string, sequences: number[]): Promise<string[]> => {
    const executor = loadExecutors(file).find(name)
    if (executor === null) throw new Error('nobody executes it')
    const signal = new AbortController().signal
    const outcomes: AttemptOutcome[] = []
    for (const sequence of sequences) {
      const ask = () => Promise.reject(new Error('not asked for'))
      const asks = { continuation: ask, isRetry: ask }
      outcomes.push(
        await executor({ worldSlug: 'w', attemptId: 'a', attemptedTurn: 1, sequence, ...asks, signal }),
      )
    }
    return outcomes.map((outcome) => ('failed' in outcome ? outcome.failed : 'committed'))
  }

  test('without a file the only executor is external', () => {
    expect(loadExecutors(null).find('external')).toBeNull()
    expect(() => loadExecutors(null).find('trial')).toThrow('executor: there is no "trial" here')
  })

  test('simulated attempts end as the list says, in the order of their numbers', async () => {
    const outcomes = ['committed', 'failed', 'failed']
    const file = fileWith({
      again: { kind: 'simulated', outcomes, repeat: true },
      once: { kind: 'simulated', outcomes },
      plain: { kind: 'simulated' },
    })
    const failed = 'simulated failure'
    expect(await ends(file, 'again', [1, 2, 3, 4, 5])).toEqual([
      'committed',
      failed,
      failed,
      'committed',
      failed,
    ])
    expect(await ends(file, 'once', [1, 2, 3, 4, 5])).toEqual(['committed', failed, failed, failed, failed])
    expect(await ends(file, 'plain', [1, 7])).toEqual(['committed', 'committed'])
  })

  test.each([
    ['{', 'JSON'],
    [{ x: { kind: 'shell', argv: ['rm'] } }, 'kind'],
    [{ x: { kind: 'command', argv: [] } }, 'argv'],
    [{ x: { kind: 'command', argv: 'rm -rf /' } }, 'argv'],
    [{ x: { kind: 'simulated', outcomes: ['perhaps'] } }, 'outcomes'],
    [{ x: { kind: 'simulated', extra: 1 } }, 'extra'],
    [{ x: { kind: 'command', argv: ['true'], cwd: 'nowhere' } }, 'cwd of "x"'],
    [{ external: { kind: 'simulated' } }, 'built in'],
    [{ '': { kind: 'simulated' } }, 'Invalid key'],
  ])('a value that does not fit is reported with its place: %j', (content, named) => {
    const file = fileWith(content)
    expect(() => loadExecutors(file)).toThrow(file)
    expect(() => loadExecutors(file)).toThrow(named)
  })

  test('a missing file is reported', () => {
    expect(() => loadExecutors('/nowhere/executors.json')).toThrow(
      'TURNGRAPH_EXECUTORS: /nowhere/executors.json',
    )
  })
})
