import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createTurngraphClient } from '../../src/client/create.ts'
import { portableMarker } from '../../src/core/scrub/marks.ts'
import { scrub } from '../../src/core/scrub/scrub.ts'
import { describePython, pythonWithTools } from '../support/python.ts'
import { fillForms, INNOCENT_LINES } from '../support/secret-forms.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** The Python client with a real service, and compared with the TypeScript client. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const clientFolder = path.join(root, 'clients/python')
const run = promisify(execFile)

const aService = async () => {
  const folder = temporaryFolder()
  const user = commandsOn(folder)
  return withClient(folder, user, await user.startService())
}

/** Starts a service in a separate process, which a test can kill and restart at the same address. */
const aProcess = async () => {
  const folder = temporaryFolder()
  const user = commandsOn(folder)
  const first = await user.serve()
  const restart = () => user.serve(['--port', new URL(first.url).port])
  return { ...withClient(folder, user, first), restart }
}

/** Adds the token of a service, and the environment of a Python client for it. */
function withClient<T extends { url: string }>(
  folder: string,
  user: ReturnType<typeof commandsOn>,
  service: T,
) {
  const token = readFileSync(path.join(user.folder, 'token'), 'utf8').trim()
  const env = {
    ...process.env,
    PYTHONPATH: clientFolder,
    PYTHONDONTWRITEBYTECODE: '1',
    TURNGRAPH_URL: service.url,
    TURNGRAPH_TOKEN: token,
  }
  return { ...service, token, folder, env }
}

/** Masks each text as a record of its own, as the Python client does before it spools a record. */
async function maskInPython(texts: readonly string[]): Promise<string[]> {
  const program =
    'import json, sys\nfrom turngraph._secrets import mask_record\n' +
    'print(json.dumps([mask_record([text])[0] for text in json.load(sys.stdin)]))'
  const running = run('python3', ['-c', program], { env: { ...process.env, PYTHONPATH: clientFolder } })
  running.child.stdin?.end(JSON.stringify(texts))
  return JSON.parse((await running).stdout)
}

describePython('the Python client', () => {
  test.each(['test_client', 'test_spool', 'test_turn_state', 'test_guardkit'])(
    'passes its own %s on a real service',
    async (name) => {
      const { env } = await aService()
      const { stderr } = await run('python3', ['-m', 'unittest', `tests.${name}`], { cwd: clientFolder, env })
      expect(stderr).toMatch(/Ran \d+ tests in .*\n\nOK\n$/)
    },
  )

  test('masks exactly the same secrets as the TypeScript client, with the same markers', async () => {
    const secrets = [`k7Qp2vXz9LmT${'4wBn8RfD'}`, `Tr0ub4dor-${'x9Kq2mZ'}`]
    const texts = secrets.flatMap((secret) => fillForms(secret))
    const masked = await maskInPython([...texts, ...INNOCENT_LINES])
    const through = texts.filter((_, i) => secrets.some((secret) => masked[i]?.includes(secret)))
    expect(through.length, through.join('\n')).toBeLessThanOrEqual(0.03 * texts.length)
    const changed = INNOCENT_LINES.filter((line, i) => masked[texts.length + i] !== line)
    expect(changed.length, changed.join('\n')).toBeLessThanOrEqual(3)
    const others: string[] = []
    for (const [i, text] of texts.entries()) {
      const { scrubbed } = await scrub([text], () => portableMarker)
      if (scrubbed[0] !== masked[i]) others.push(`${text}: ${masked[i]}`)
    }
    expect(others.length, others.join('\n')).toBeLessThanOrEqual(0.03 * texts.length)
  })

  test('ends a secret at the same white space as the TypeScript client', async () => {
    const spaces = [
      ...'\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\x1c\x1f\x85\u180e\u200b',
    ]
    const texts = spaces.flatMap((space) => [
      `MYSQL_PWD=hunter2Qx9${space}mysqldump app`,
      `password: "correct horse${space}battery9 staple"`,
      `curl --user${space}anna:hunter2Qx9 host`,
    ])
    const masked: string[] = []
    for (const text of texts) masked.push(...(await scrub([text], () => portableMarker)).scrubbed)
    expect(masked.filter((text, i) => text !== texts[i]).length).toBeGreaterThan(texts.length / 2)
    expect(await maskInPython(texts)).toEqual(masked)
  })

  test('examples/python/session.py: three turns with the client, in at most 40 lines', async () => {
    const { env } = await aService()
    const file = path.join(root, 'examples/python/session.py')
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    const { stdout } = await run('python3', [file], { env })
    expect(stdout.trim().split('\n')).toEqual([
      'turn 1: Built AC-001 → feedback',
      'turn 2: Built AC-002 → feedback',
      'turn 3: Built AC-003 → approved',
    ])
  })

  test.each([
    ['that repeats its calls', 'retries=100', null],
    ['with a spool', 'retries=0', 'spool'],
  ])(
    'loses no turn and doubles none where the service is killed under a client %s',
    async (_name, retries, spool) => {
      const service = await aProcess()
      const { folder, env, token } = service
      const place = spool === null ? 'None' : JSON.stringify(path.join(folder, spool))
      const program = path.join(folder, 'writer.py')
      writeFileSync(program, WRITER.replace('RETRIES', retries).replace('SPOOL', place))
      const writer = spawn('python3', [program], { env, stdio: ['pipe', 'pipe', 'inherit'] })
      onTestFinished(() => void writer.kill('SIGKILL'))
      const said = linesOf(writer)
      let { child, end } = service
      for (let turn = 1; turn <= TURNS; turn++) {
        writer.stdin?.write('\n')
        if (turn % 4 === 0) {
          child.kill('SIGKILL')
          await end
          if (spool !== null) expect((await said.next()).value).toMatch(/^(stored|spooled)$/)
          ;({ child, end } = await service.restart())
          if (spool === null) expect((await said.next()).value).toBe('stored')
        } else expect((await said.next()).value).toMatch(/^(stored|spooled)$/)
      }
      writer.stdin?.end()
      expect((await said.next()).value).toBe('waiting: 0')
      const client = createTurngraphClient({ url: service.url, token })
      onTestFinished(() => client.close())
      const { items } = await client.listTurns({ worldSlug: 'w' })
      expect(items.map(({ turnNumber }) => turnNumber)).toEqual(
        Array.from({ length: TURNS }, (_, i) => i + 1),
      )
      for (const { turnNumber } of items)
        expect((await client.getTurnHistory({ worldSlug: 'w', turnNumber })).items).toEqual([])
    },
  )

  test('each client sends the spooled captures of the other, and both can use a spool in parallel', async () => {
    const { url, token, env, folder, child, end, restart } = await aProcess()
    child.kill('SIGKILL')
    await end
    const spool = path.join(folder, 'spool')
    const python = (code: string) => run('python3', ['-c', `${OPEN}\n${code}`, spool], { env })
    const typescript = () => createTurngraphClient({ url, token, retries: 0, spool, log: () => {} })
    const record = {
      featureId: 'F',
      taskId: 'T',
      worldSlug: 'w',
      acceptanceCriteriaStatus: { 'AC-1': 'verified' as const },
      issues: [{ severity: 'blocking', description: 'ä', criterionIds: ['AC-1'], details: { a_b: [1] } }],
      extra: { my_key: { in_it: true } },
    }

    await python(`capture(1)`)
    const first = typescript()
    await expect(
      first.captureTurnState({ ...record, turnNumber: 2, playerSummary: 'Two' }),
    ).rejects.toMatchObject({
      details: { spooled: true, waiting: 2 },
    })
    await python(`capture(3)`)
    await first.close()
    const files = readdirSync(spool).filter((name) => name.endsWith('.json'))
    expect(files).toEqual(['0000000000000001.json', '0000000000000002.json', '0000000000000003.json'])

    await restart()
    const second = typescript()
    const sent = (await second.listTurns({ worldSlug: 'w' })).items
    await second.close()
    expect(sent.map(({ turnNumber, playerSummary }) => [turnNumber, playerSummary])).toEqual([
      [1, 'One'],
      [2, 'Two'],
      [3, 'One'],
    ])
    const [byPython, byTypeScript] = sent.map(({ verifications, issues, extra }) => ({
      verifications,
      issues,
      extra,
    }))
    expect(byPython).toEqual(byTypeScript)
    expect(byPython?.extra).toEqual(record.extra)
  })

  test('the Python client sends the spooled captures of the TypeScript client', async () => {
    const { url, token, env, folder, child, end, restart } = await aProcess()
    child.kill('SIGKILL')
    await end
    const spool = path.join(folder, 'spool')
    const client = createTurngraphClient({ url, token, retries: 0, spool, log: () => {} })
    const turn = { featureId: 'F', taskId: 'T', worldSlug: 'w', turnNumber: 1, playerSummary: 'One' }
    const verifications = [{ criterionId: 'AC-1', status: 'verified' as const, files: ['a_b.ts'] }]
    await client.captureTurnState({ ...turn, verifications, extra: { a_b: 1 } }).catch(() => {})
    await client.close()
    await restart()
    const { stdout } = await run(
      'python3',
      ['-c', `${OPEN}\nprint(client.get_turn(world_slug="w", turn_number=1))`, spool],
      {
        env,
      },
    )
    expect(stdout).toContain("'player_summary': 'One'")
    expect(stdout).toContain("'extra': {'a_b': 1}")
    expect(existsSync(path.join(spool, '0000000000000001.json'))).toBe(false)
  })

  test.each([
    ['python.md', 3],
    ['guardkit.md', 1],
  ])('the programs of docs/how-to/%s run, and print the output in the document', async (name, programs) => {
    const { env, folder } = await aService()
    const text = readFileSync(path.join(root, 'docs/how-to', name), 'utf8')
    const blocks = [...text.matchAll(/^```(python|text)\n(.*?)^```$/gms)]
    const printed: string[] = []
    for (const [, language, block = ''] of blocks)
      if (language === 'python')
        printed.push((await run('python3', ['-c', block], { cwd: folder, env })).stdout)
      else expect(printed.at(-1)).toContain(block.trim())
    expect(printed.length).toBe(programs)
  })

  test('it is typed, and its wheel works without other packages', async (context) => {
    const python = pythonWithTools()
    if (python === null) return context.skip('pip cannot install what builds it')
    await run(python, ['-m', 'mypy', '--cache-dir', '/dev/null', 'turngraph', 'tests'], { cwd: clientFolder })
    const folder = temporaryFolder()
    await run(python, ['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder], { cwd: clientFolder })
    const [wheel = ''] = readdirSync(folder)
    expect(wheel).toBe('turngraph-0.1.0-py3-none-any.whl')
    const installed = path.join(folder, 'installed')
    mkdirSync(installed)
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', installed]
    await run(python, [...pip, path.join(folder, wheel)])
    expect(existsSync(path.join(installed, 'turngraph/py.typed'))).toBe(true)
    const { env } = await aService()
    const file = path.join(root, 'examples/python/session.py')
    const { stdout } = await run('python3', [file], { env: { ...env, PYTHONPATH: installed } })
    expect(stdout).toContain('turn 3: Built AC-003 → approved')
  })
})

const TURNS = 12

/** A program that captures a turn for each line of its input. */
const WRITER = `
import sys
from turngraph import TurngraphClient, TurngraphError, is_spooled

with TurngraphClient.from_environment(RETRIES, spool=SPOOL, log=lambda message: None) as client:
    for turn, _line in enumerate(sys.stdin, 1):
        try:
            client.capture_turn_state(feature_id="F", task_id="T", world_slug="w", turn_number=turn, player_summary="Built it")
            print("stored", flush=True)
        except TurngraphError as error:
            if not is_spooled(error):
                raise
            print("spooled", flush=True)
    while client.spool is not None and client.spool.waiting > 0:
        client.spool.replay()
    print("waiting: 0", flush=True)
`

/** A program with a client on the spool of the first argument. If that is rejected, it prints the reason. */
const OPEN = `
import sys
from turngraph import TurngraphClient, TurngraphError, is_spooled
try:
    client = TurngraphClient.from_environment(retries=0, spool=sys.argv[1], log=lambda message: None)
except TurngraphError as error:
    print(error, flush=True)
    sys.exit(1)

def capture(turn):
    try:
        client.capture_turn_state(
            feature_id="F", task_id="T", world_slug="w", turn_number=turn, player_summary="One",
            acceptance_criteria_status={"AC-1": "verified"},
            issues=[{"severity": "blocking", "description": "ä", "criterion_ids": ["AC-1"], "details": {"a_b": [1]}}],
            extra={"my_key": {"in_it": True}},
        )
    except TurngraphError as error:
        if not is_spooled(error):
            raise
`

async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string> {
  if (stdout === null) throw new Error('it has no standard output')
  yield* createInterface({ input: stdout })
}
