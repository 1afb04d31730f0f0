import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { bytesOf, everyTurn, sessionOf, startedIn, turn } from '../support/transcript-import.ts'
import { newFolder, type Started, start } from './http-start.ts'

const S1 = sessionOf(1)
const FILE = bytesOf(
  turn('t1', ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash'], { errors: { 5: 'no' } }),
  turn('t2', ['Read'], { from: 30 }),
)

const clientAt = ({ service, token }: Started) => httpClient({ url: service.url, token })

describe('POST /v1/transcripts/import', () => {
  /** Creates two folders. The service may import from the first one. */
  function folders() {
    const folder = newFolder()
    const [inside, outside] = [path.join(folder, 'roots'), path.join(folder, 'roots2')]
    for (const each of [inside, outside]) mkdirSync(path.join(each, 'project'), { recursive: true })
    writeFileSync(path.join(inside, 'project', `${S1}.jsonl`), FILE)
    writeFileSync(path.join(outside, `${sessionOf(2)}.jsonl`), FILE)
    return { inside, outside }
  }

  const importFrom = (started: Started, given: string) =>
    started.call('POST', '/v1/transcripts/import', { body: { path: given } })

  test('files below a root are imported, with the same answer as the command', async () => {
    const { inside } = folders()
    const started = await start({ TURNGRAPH_IMPORT_ROOTS: `/nowhere${path.delimiter}${inside}/` })
    const { status, body } = await importFrom(started, inside)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      files: 1,
      sessions: 1,
      turns: 2,
      steps: 7,
      bytes: FILE.length,
      bad_lines: 0,
      skipped_files: 0,
    })
    for (const field of ['recovered_lines', 'unknown', 'seconds']) expect(body).toHaveProperty(field)
    expect((await importFrom(started, path.join(inside, 'project'))).body).toMatchObject({
      bytes: 0,
      turns: 2,
    })
    expect((await importFrom(started, path.join(inside, 'project', `${S1}.jsonl`))).body).toMatchObject({
      files: 1,
    })
  })

  test('a path outside the roots is rejected with the same message, whether it exists or not', async () => {
    const { inside, outside } = folders()
    symlinkSync(outside, path.join(inside, 'link'))
    symlinkSync(path.join(outside, `${sessionOf(2)}.jsonl`), path.join(inside, `${sessionOf(3)}.jsonl`))
    const started = await start({ TURNGRAPH_IMPORT_ROOTS: inside })
    for (const given of [
      outside,
      `${inside}/../roots2`,
      path.join(inside, 'link'),
      path.join(inside, `${sessionOf(3)}.jsonl`),
      path.dirname(inside),
      '/',
      '/etc/passwd',
      '/proc/self/environ',
      path.join(outside, 'not there'),
      path.join(inside, 'not there'),
      '',
      '.',
    ]) {
      const { status, body } = await importFrom(started, given)
      expect([given, status, body.error?.code]).toEqual([given, 403, 'forbidden'])
      expect(body.error.message).toBe(`path: ${given} is not below a folder that this service imports from.`)
    }
    expect(await everyTurn(clientAt(started))).toEqual([])
  })

  test('without roots nothing is imported', async () => {
    const { inside } = folders()
    expect((await importFrom(await start(), inside)).status).toBe(403)
  })

  test('links inside a root are not followed, neither to transcripts nor to the metadata of an agent', async () => {
    const { inside, outside } = folders()
    const agents = path.join(inside, 'project', S1, 'subagents')
    mkdirSync(agents, { recursive: true })
    symlinkSync(path.join(outside, `${sessionOf(2)}.jsonl`), path.join(inside, `${sessionOf(3)}.jsonl`))
    symlinkSync(outside, path.join(inside, 'folder'))
    writeFileSync(path.join(outside, 'meta.json'), JSON.stringify({ toolUseId: 't1.0' }))
    writeFileSync(path.join(agents, 'agent-a1.jsonl'), bytesOf(turn('c', ['Read'])))
    symlinkSync(path.join(outside, 'meta.json'), path.join(agents, 'agent-a1.meta.json'))
    const started = await start({ TURNGRAPH_IMPORT_ROOTS: inside })
    const { body } = await importFrom(started, inside)
    expect(body).toMatchObject({ sessions: 2, turns: 3, skipped_files: 1 })
    expect(await startedIn(started.graph)).toEqual([])
  })
})
