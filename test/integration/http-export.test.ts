import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { exportLines } from '../../src/maintenance/export/export-lines.ts'
import { restoreFile } from '../../src/maintenance/restore/restore-file.ts'
import { memory } from '../support/engines.ts'
import { exportOf } from '../support/exported.ts'
import { fillWithEverything } from '../support/whole-graph.ts'
import { record, start, tokensFile } from './http-start.ts'

const scoped = (name: string, scopes: string[], project?: string) => ({
  name,
  token: `token-of-${name}`,
  scopes,
  ...(project !== undefined && { project }),
})

describe('export and restore through a service', () => {
  test('the lines equal those of the graph, and can be restored through another service', async () => {
    const source = await memory.open()
    await fillWithEverything(source)
    const lines = await exportOf(source)
    const from = await start({}, { graph: source })
    const into = await start()
    const [reader, writer] = [from, into].map(({ service, token }) => httpClient({ url: service.url, token }))
    if (reader === undefined || writer === undefined) throw new Error('no clients')
    const got: string[] = []
    for await (const line of exportLines((cursor) => reader.exportGraphPage({ cursor, limit: 20 })))
      got.push(line)
    expect(got).toEqual(lines)
    async function* chunks() {
      for (const line of got) yield Buffer.from(`${line}\n`)
    }
    const { records } = await restoreFile(writer, chunks())
    const turns = lines.filter((line) => JSON.parse(line).kind === 'turn').length
    expect(turns).toBeGreaterThan(0)
    expect(records.turn).toEqual({ created: turns, existing: 0 })
    expect(await exportOf(into.graph)).toEqual(lines)
  })

  test('an analyst can export its project, or all if it has no project, and only an admin can restore', async () => {
    const file = tokensFile([
      scoped('reader', ['read', 'write']),
      scoped('analyst', ['analyst']),
      scoped('shop', ['analyst', 'admin'], 'shop'),
      scoped('admin', ['admin']),
    ])
    const { call } = await start({ TURNGRAPH_TOKENS: file, TURNGRAPH_PROJECT: 'shop' })
    await call('POST', '/v1/turns', { body: record({ project: 'shop' }) })
    await call('POST', '/v1/turns', { body: record({ project: 'elsewhere' }) })
    const status = async (name: string, method: string, path: string, body?: unknown) =>
      (await call(method, path, { token: `token-of-${name}`, ...(body !== undefined && { body }) })).status
    const one = { records: [{ kind: 'project', key: 'shop', name: 'shop' }] }
    const answers = await Promise.all(
      ['reader', 'analyst', 'shop', 'admin'].map(async (name) => [
        name,
        await status(name, 'GET', '/v1/export?project=shop'),
        await status(name, 'GET', '/v1/export?project=elsewhere'),
        await status(name, 'GET', '/v1/export/graph'),
        await status(name, 'POST', '/v1/restore', one),
      ]),
    )
    expect(answers).toEqual([
      ['reader', 403, 403, 403, 403],
      ['analyst', 200, 200, 200, 403],
      ['shop', 200, 403, 403, 403],
      ['admin', 200, 200, 200, 200],
    ])
  })

  test('a line larger than the limit of other requests is restored, and one far beyond is rejected', async () => {
    const { call, token } = await start()
    const project = { kind: 'project', key: 'p', name: 'p' }
    const feature = { kind: 'feature', project: 'p', key: 'p/f', id: 'f' }
    const task = { kind: 'task', feature: 'p/f', key: 'p/f/t', id: 't', criteriaRev: 1, worldCount: 0 }
    const texts = Array.from({ length: 50 }, (_, i) => `${i} ${'x'.repeat(64_000)}`)
    const sources = texts.map(() => 'coach')
    const criterion = {
      kind: 'criterion',
      task: 'p/f/t',
      key: `p/f/t/text:${'0'.repeat(64)}`,
      texts,
      textSources: sources,
      labels: [],
      labelSources: [],
    }
    const restore = (records: unknown[]) => call('POST', '/v1/restore', { body: { records } })
    const answer = await restore([project, feature, task, criterion])
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        records: Object.fromEntries(
          ['project', 'feature', 'task', 'criterion'].map((kind) => [kind, { created: 1, existing: 0 }]),
        ),
        redactions: 0,
      },
    ])
    const page = await call('GET', '/v1/export?project=p')
    expect(JSON.parse(page.body.lines[4])).toEqual(criterion)
    expect((await call('POST', '/v1/turns', { token, body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413)
    expect((await call('POST', '/v1/restore', { body: 'x'.repeat(64 * 1024 * 1024 + 1) })).status).toBe(413)
  })

  test('a cursor that this operation did not return is rejected', async () => {
    const { call } = await start()
    for (const path of [
      '/v1/export?cursor=eA',
      '/v1/export/graph?cursor=x&content=pairs',
      '/v1/export?since=never',
    ]) {
      expect((await call('GET', path)).body.error, path).toMatchObject({ code: 'invalid_request' })
    }
  })
})
