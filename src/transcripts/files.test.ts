import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeOtherFormat, transcriptFile } from './files.ts'

const lines = (...records: object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

test.each([
  [
    'the stream of a program run',
    lines({ type: 'system', subtype: 'init', session_id: 's' }, { type: 'result', session_id: 's' }),
    'it is the stream of `claude -p --output-format stream-json`, no transcript of ~/.claude/projects',
  ],
  [
    'the stream of a run of Codex',
    lines({ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }),
    'it is the stream of `codex exec --json`, no transcript of ~/.codex/sessions',
  ],
  [
    'a document of several lines',
    JSON.stringify({ loglines: [{ sessionId: 's', type: 'user' }] }, null, 2),
    'it is one JSON document, no transcript of ~/.claude/projects',
  ],
  [
    'a document of one line',
    JSON.stringify({ loglines: [{ sessionId: 's' }] }),
    'it is one JSON document, no transcript of ~/.claude/projects',
  ],
  [
    'a trajectory of one line',
    JSON.stringify({ trajectory: [{ action: 'ls', type: 'tool' }], info: {} }),
    'it is one JSON document, no transcript of ~/.claude/projects',
  ],
  ['an array', '[\n  {"type": "user"}\n]\n', 'it is a JSON array, no transcript of ~/.claude/projects'],
  ['words', 'Some notes\n', 'it is plain text, no transcript of ~/.claude/projects'],
  ['nothing', '\n', 'it is empty'],
  ['a transcript', lines({ type: 'user', sessionId: 's' }), null],
])('%s is recognized and named', async (_, text, reason) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'log.jsonl')
  writeFileSync(file, text)
  expect(await describeOtherFormat(file)).toBe(reason)
})

test('the output stream of a program is not a transcript, even if it is named after its session', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, '0b5c1f7e-6a43-4c1d-9d55-3a1c2f0e8b11.jsonl')
  writeFileSync(file, lines({ type: 'system', subtype: 'init', session_id: 's' }))
  expect(await transcriptFile(file)).toBe(null)
  writeFileSync(file, lines({ type: 'user', sessionId: 's' }))
  expect(await transcriptFile(file)).not.toBe(null)
})

test('the metadata of an agent is read, also after a byte order mark', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'agent-a1.jsonl')
  writeFileSync(file, lines({ type: 'user', sessionId: 's', isSidechain: true }))
  writeFileSync(path.join(folder, 'agent-a1.meta.json'), '\uFEFF{"toolUseId": "t1.0"}')
  expect(await transcriptFile(file)).toMatchObject({ sessionId: 's/a1', parentStepId: 't1.0' })
})
