import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { inProcessClient } from '../../src/client/in-process.ts'
import { clientStore } from '../../src/client/transcript-store.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { createLog } from '../../src/platform/log.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { commandsOn } from '../e2e/command.ts'
import { PROJECT } from '../support/records.ts'
import { talkativeRollout } from '../support/talkative-rollout.ts'
import { errorsOf, importedDump, reportsOf, send, sessionOf } from '../support/transcript-import.ts'
import { talkativeTrajectory } from '../support/written-trajectory.ts'
import { failed, linesOf, placed, result, says, user, type Written } from '../support/written-transcript.ts'
import { newFolder, start } from './http-start.ts'

/** Returns a unique word for a place, which identifies the source of a leak. */
const canary = (place: string): string => `canary-${place}-word`

const S1 = sessionOf(1)

/** Joined at run time, so that a scan of this file does not report it. */
const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

const use = (id: string, name: string, input: unknown): Written => ({
  type: 'assistant',
  message: { model: 'claude-x', content: [{ type: 'tool_use', id, name, input }] },
})

/** Texts that a person typed at a permission prompt, in all forms that versions of Claude Code write. */
const PROMPTS: readonly (readonly [unknown, Written])[] = [
  [`${canary('plain')} try the other one`, {}],
  [`Error: ${canary('error')}`, { toolUseResult: `Error: ${canary('error')}` }],
  [`${canary('same')}, please`, { toolUseResult: `Error: ${canary('same')}, please` }],
  [[{ type: 'text', text: `use ${canary('block')}` }], { toolUseResult: `Error: ${canary('block')}` }],
  [
    [
      { type: 'text', text: 'no' },
      { type: 'text', text: canary('second-block') },
    ],
    {},
  ],
  [`${canary('lines')}\n\nTraceback (most recent call last):\n  pasted`, {}],
  [`Traceback (most recent call last):\n${canary('pasted')}`, {}],
  [`File does not exist, ${canary('like-a-tool')}`, {}],
  [
    `<tool_use_error>The user doesn't want to proceed with this tool use. The user said: ${canary('tagged')}</tool_use_error>`,
    {},
  ],
  [`Exit code 1\nThe user said: ${canary('after-exit-code')}`, {}],
  [`Permission to use Bash has been denied. ${canary('permission')}`, {}],
  ['', { toolUseResult: `Error: ${canary('result-only')}` }],
  [canary('object'), { toolUseResult: { reason: canary('reason') } }],
  [canary('kind'), { toolDenialKind: canary('denial-kind') }],
  [`File does not exist. ${canary('after-a-sentence')}`, {}],
  [`<tool_use_error>File does not exist.</tool_use_error>\n${canary('after-a-tag')}`, {}],
  [`Exit code 137\nkilled\n[Request interrupted by user for tool use]\n${canary('after-output')}`, {}],
  [`Exit code 1\nno\n<system-reminder>A message: ${canary('note-in-output')}</system-reminder>`, {}],
  [`Found 2 matches of the string to replace, but replace_all is false.\nString: ${canary('echo')}`, {}],
  [`=== test session starts ===\n${canary('pasted-tests')}`, { toolUseResult: canary('plain-result') }],
  [`Error: ENOENT ${canary('error-code')}`, { toolUseResult: `Error: ${canary('error-code')}` }],
]

/** Words in all places where Claude Code writes text. Only messages of failures may be stored. */
const talkative: Written[] = placed([
  { type: 'summary', summary: canary('summary'), leafUuid: 'x' },
  { type: 'ai-title', aiTitle: canary('ai-title') },
  { type: 'custom-title', customTitle: canary('custom-title') },
  { type: 'last-prompt', lastPrompt: canary('last-prompt') },
  { type: 'queue-operation', operation: 'enqueue', content: canary('queued') },
  { type: 'attachment', attachment: { type: 'file', content: canary('attachment') } },
  { type: 'file-history-snapshot', snapshot: { text: canary('snapshot') } },
  { type: 'progress', data: { type: 'bash_progress', output: canary('progress') } },
  { type: 'system', subtype: 'local_command', content: canary('system') },
  { type: 'system', subtype: 'api_error', error: { message: canary('api-error') } },
  { type: 'not-known', words: canary('unknown-type') },
  user(canary('prompt'), {
    promptId: 'p1',
    planContent: canary('plan'),
    todos: [{ content: canary('todo') }],
  }),
  user([
    { type: 'text', text: canary('prompt-block') },
    { type: 'text', text: `<system-reminder>${canary('reminder')}</system-reminder>` },
    { type: 'image', source: { data: canary('image') } },
    { type: 'document', title: canary('document'), source: { data: canary('document-data') } },
  ]),
  {
    type: 'assistant',
    message: {
      content: [{ type: 'thinking', thinking: canary('thinking'), signature: canary('signature') }],
    },
  },
  says(canary('answer')),
  use('c1', 'Bash', { command: canary('input'), description: canary('description') }),
  result(
    'c1',
    { content: canary('output') },
    { toolUseResult: { stdout: canary('stdout'), stderr: canary('stderr') } },
  ),
  use('c2', 'Edit', { old_string: canary('old'), new_string: canary('new') }),
  result(
    'c2',
    { content: [{ type: 'text', text: canary('output-block') }] },
    { toolUseResult: { structuredPatch: canary('patch') } },
  ),
  use('c3', 'Task', { prompt: canary('task-prompt') }),
  result(
    'c3',
    { content: canary('task-output') },
    {
      toolUseResult: { agentId: 'a1', content: canary('task-result'), prompt: canary('task-result-prompt') },
    },
  ),
  use('c4', 'Write', { content: canary('denied-input') }),
  failed('c4', `The user doesn't want to proceed with this tool use. ${canary('denied-reason')}`, {
    toolUseResult: `User rejected: ${canary('rejected')}`,
  }),
  use('c5', 'Bash', { command: 'x' }),
  failed('c5', `[Request interrupted by user for tool use] ${canary('interrupted')}`),
  use('c6', 'Bash', { command: 'x' }),
  failed('c6', 'Error: Exit code 1\nit broke', { toolUseResult: { stdout: canary('failed-stdout') } }),
  ...PROMPTS.flatMap(([content, more], i) => [
    use(`p${i}`, i % 2 === 0 ? 'Bash' : 'mcp__x__y', { command: 'x' }),
    failed(`p${i}`, content, more),
  ]),
  ...['AskUserQuestion', 'ExitPlanMode'].flatMap((tool) => [
    use(`asks-${tool}`, tool, {}),
    failed(`asks-${tool}`, `Exit code 1\n${canary('answer-of-a-person')}`),
    use(`asks-well-${tool}`, tool, {}),
    result(
      `asks-well-${tool}`,
      { content: canary('answer-to-a-question') },
      { toolUseResult: { answers: { q: canary('answers') } } },
    ),
  ]),
  user(`<command-name>/x</command-name><command-args>${canary('command-args')}</command-args>`),
  user(`<local-command-stdout>${canary('command-output')}</local-command-stdout>`),
  user(`<bash-input>${canary('bash-input')}</bash-input>`),
  user(
    `<bash-stdout>${canary('bash-stdout')}</bash-stdout><bash-stderr>${canary('bash-stderr')}</bash-stderr>`,
  ),
  user(canary('compact-summary'), { isCompactSummary: true }),
  user(canary('meta'), { isMeta: true }),
  user(`<task-notification>${canary('notification')}</task-notification>`),
  use('c7', 'Bash', { command: canary('open-input') }),
  { ...user(canary('side-prompt')), isSidechain: true, agentId: 'a1' },
  { ...use('c8', 'Read', { file_path: canary('side-input') }), isSidechain: true, agentId: 'a1' },
])

const FILE = Buffer.concat([
  linesOf(talkative),
  Buffer.from(`{"type":"user","message":{"content":"${canary('torn')}\n`),
  Buffer.from(`["${canary('no-object')}"]\n${canary('no-json')}\n`),
  Buffer.from(`{"type":"user","message":{"content":"${canary('pending')}`),
])

/** Transcripts of each agent, with words everywhere, and a text that may be stored. */
const TALKATIVE = [
  ['Claude Code', FILE, 'it broke'],
  ['Codex', talkativeRollout(canary), 'the command broke'],
  ['ATIF', talkativeTrajectory(canary), 'the trajectory broke'],
] as const

/** Reads all files below a folder. */
function bytesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n')
}

const leaksIn = (text: string): string[] => [...new Set(text.match(/canary-[a-z-]+-word/g))]

const openGraph = async (folder: string) => {
  const graph = EmbeddedGraph.open({ folder })
  await migrate(graph)
  return graph
}

describe('no word of a transcript is kept', () => {
  test.each(TALKATIVE)(
    'no word of a transcript of %s is in the data folder after an import from files, in stages',
    async (_agent, bytes, kept) => {
      const [data, files] = [newFolder(), newFolder()]
      const graph = await openGraph(data)
      const client = inProcessClient({ graph, project: PROJECT })
      const file = path.join(files, `${S1}.jsonl`)
      const told: unknown[] = []
      for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
        writeFileSync(file, bytes.subarray(0, bytes.length * share))
        told.push(await importFiles(clientStore(client), [files], { project: PROJECT }))
        expect(leaksIn(bytesBelow(data)), `after ${share} of the file`).toEqual([])
      }
      told.push(...(await reportsOf(client)), await importedDump(graph))
      expect(JSON.stringify(told)).toContain(kept)
      expect(leaksIn(JSON.stringify(told))).toEqual([])
      await client.close()
      expect(leaksIn(bytesBelow(data))).toEqual([])
      // Checks that the test finds stored texts.
      expect(bytesBelow(data)).toContain(kept)
    },
  )

  test.each(TALKATIVE)(
    'no word of a transcript of %s that is sent over REST is in the data folder, answers, errors or the most verbose log',
    async (_agent, bytes, kept) => {
      const [data, roots] = [newFolder(), newFolder()]
      mkdirSync(data, { recursive: true })
      let logged = ''
      const log = createLog(
        'trace',
        new Writable({
          write(chunk, _encoding, done) {
            logged += String(chunk)
            done()
          },
        }) as never,
      )
      writeFileSync(path.join(roots, `${sessionOf(2)}.jsonl`), bytes)
      const graph = EmbeddedGraph.open({ folder: data })
      const { service, token, call } = await start(
        { TURNGRAPH_IMPORT_ROOTS: roots },
        { graph, dataFolder: data, log },
      )
      const client = httpClient({ url: service.url, token })
      const told: unknown[] = []
      for (const share of [0.3, 0.7, 1])
        told.push(await send(client, S1, bytes, { to: Math.floor(bytes.length * share) }))
      const wrong = { body: bytes.toString('latin1'), headers: { 'content-type': 'application/jsonl' } }
      for (const route of [
        `/v1/transcripts/${S1}?offset=3`,
        `/v1/transcripts/${S1}?offset=x`,
        '/v1/turns',
        '/v1/transcripts/import',
        '/v1/transcripts/count',
      ])
        told.push((await call('POST', route, wrong)).body)
      told.push((await call('POST', `/v1/transcripts/${S1}`, { ...wrong, token: 'wrong' })).body)
      told.push((await call('POST', '/v1/transcripts/import', { body: { path: roots } })).body)
      told.push(...(await reportsOf(client)), await importedDump(graph))
      expect(JSON.stringify(told)).toContain(kept) // the transcript was read
      expect(logged).toContain('/v1/transcripts/')
      await service.close()
      expect(leaksIn(JSON.stringify(told))).toEqual([])
      expect(leaksIn(logged)).toEqual([])
      expect(leaksIn(bytesBelow(data))).toEqual([])
    },
  )
})

test('no word of a transcript is in a heap snapshot of a service that has imported it', async () => {
  const folder = newFolder()
  const commands = commandsOn(folder)
  const files = newFolder()
  for (const [i, [, bytes]] of TALKATIVE.entries())
    writeFileSync(path.join(files, `${sessionOf(i)}.jsonl`), bytes)
  const { child, url } = await commands.serve([], { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2' })
  const imported = await commands.run(['import', 'transcripts', files, '--project', PROJECT], {
    environment: { TURNGRAPH_URL: url },
  })
  expect(imported).toMatchObject({ code: 0 })
  child.kill('SIGUSR2')
  const snapshot = await untilSnapshot(folder)
  // Checks that the test finds texts of the service.
  expect(snapshot).toContain('TURNGRAPH_IMPORT_ROOTS')
  expect(leaksIn(snapshot)).toEqual([])
}, 120_000)

/** Returns the heap snapshot that a process writes into a folder. V8 collects garbage before it. */
async function untilSnapshot(folder: string): Promise<string> {
  for (;;) {
    const name = readdirSync(folder).find((each) => each.endsWith('.heapsnapshot'))
    const text = name === undefined ? '' : readFileSync(path.join(folder, name), 'latin1')
    if (text.endsWith(']}')) return text
    await sleep(200)
  }
}

describe('the messages of failures', () => {
  const secrets = {
    short: `Error: Exit code 1\n401 for ${SECRET}`,
    atTheEdge: `Exit code 1\n${'x '.repeat(240)}TOKEN=${SECRET} ${'y '.repeat(100)}`,
    acrossTheEdge: `Error: Exit code 1\n${SECRET} ${'x'.repeat(489)}`,
    long: `Exit code 1\n${'Error: z'.repeat(1_000)}`,
    dsn: `Exit code 1\ncannot reach postgres://app:${['hunter', '2hunter'].join('')}@db.internal/app`,
    emoji: `Exit code 1\n${'\u{1f600}'.repeat(600)}`,
    block: `<tool_use_error>Error: ${SECRET}</tool_use_error>`,
  }
  const records = placed([
    user('Do it'),
    ...Object.entries(secrets).flatMap(([id, message]) => [use(id, 'Bash', {}), failed(id, message)]),
  ])
  const isSecret = /ghp_|a1B2c3|hunter|vvvv/

  const check = (errors: Record<string, string>) => {
    expect(errors.short).toBe('Exit code 1\n401 for [redacted]')
    expect(errors.dsn).toBe('Exit code 1\ncannot reach postgres://[redacted]@db.internal/app')
    expect(errors.acrossTheEdge).toBe(`[redacted] ${'x'.repeat(489)}`)
    expect(errors.long).toBe(secrets.long.slice(-500))
    for (const [id, message] of Object.entries(errors)) {
      expect({ id, leaks: isSecret.test(message) }).toEqual({ id, leaks: false })
      expect([...message].length).toBeLessThanOrEqual(500)
      expect(message.isWellFormed()).toBe(true)
      expect(message.startsWith('Error: ')).toBe(false)
    }
  }

  test.each([
    ['of a turn that stands open', records],
    ['of one that is closed', [...records, ...placed([user('Next')]).map((r) => ({ ...r, uuid: 'next' }))]],
  ])('%s hold no secret and are at most 500 characters, wherever they are kept', async (_name, written) => {
    const data = newFolder()
    const graph = await openGraph(data)
    const client = inProcessClient({ graph, project: PROJECT })
    onTestFinished(() => client.close())
    const file = linesOf(written)
    for (const share of [0.3, 0.6, 1]) {
      await send(client, S1, file, { to: Math.floor(file.length * share) })
      expect((await importedDump(graph)).filter((line) => isSecret.test(line))).toEqual([])
    }
    check(await errorsOf(graph))
    expect(Object.keys(await errorsOf(graph))).toHaveLength(Object.keys(secrets).length)
    expect((await reportsOf(client)).filter((answer) => isSecret.test(answer))).toEqual([])
    await client.close()
    expect(bytesBelow(data).match(isSecret)).toBeNull()
  })

  test('a message whose last 16 KiB are mostly secrets shows no secret', async () => {
    const graph = await openGraph(newFolder())
    const client = inProcessClient({ graph, project: PROJECT })
    onTestFinished(() => client.close())
    for (const length of [16_330, 16_350, 16_370, 20_000]) {
      const id = `after ${length}`
      const message = `Exit code 1\n${SECRET} TOKEN=${'v'.repeat(length)}`
      const written = placed([{ ...user('Do it'), uuid: id }, use(id, 'Bash', {}), failed(id, message)])
      await send(client, id, linesOf(written))
    }
    const errors = Object.entries(await errorsOf(graph))
    expect(errors).toHaveLength(4)
    expect(errors.filter(([, message]) => isSecret.test(message))).toEqual([])
  })
})
