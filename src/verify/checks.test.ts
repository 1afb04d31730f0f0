import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { SHELL } from '../rules/command-line.ts'
import { selectDeclared, selectGiven } from './checks.ts'
import { type RunOptions, runChecks, showDuration } from './run-checks.ts'

const declared = [
  { criterionId: 'AC-1', text: 'It halves', command: ['npm', 'test'] },
  { text: 'It logs', command: ['npm', 'test'] },
  { text: 'It is fast', command: ['npm', 'run', 'bench'] },
  { text: 'It is nice' },
]
const argvs = (ids: string[]) =>
  selectDeclared(declared, ids).map(({ argv, criteria }) => [
    argv.join(' '),
    ...criteria.map((c) => c.criterionId),
  ])

test('criteria with equal commands share one run, in the order of the specification', () => {
  expect(argvs([])).toEqual([
    ['npm test', 'AC-1', 'AC-002'],
    ['npm run bench', 'AC-003'],
  ])
  expect(argvs(['ac-003', 'AC-001', 'AC-1'])).toEqual([
    ['npm run bench', 'AC-003'],
    ['npm test', 'AC-1'],
  ])
})

test('a criterion that does not exist or declares no command is refused', () => {
  expect(() => argvs(['AC-9'])).toThrow('The task declares no criterion AC-9.')
  expect(() => argvs(['AC-004'])).toThrow('AC-004 declares no command.')
  expect(() => selectDeclared([{ text: 'It is nice' }], [])).toThrow(
    'No criterion of the task declares a command.',
  )
  expect(() => selectGiven(['true'], [], declared)).toThrow('The command proves no criterion.')
  expect(() => selectGiven(['true'], ['AC-9'], declared)).toThrow('The task declares no criterion AC-9.')
  expect(selectGiven(['true'], ['AC-9'], [])).toEqual({ argv: ['true'], criteria: [{ criterionId: 'AC-9' }] })
})

const options: RunOptions = {
  cwd: fileURLToPath(new URL('.', import.meta.url)),
  timeoutMs: 60_000,
  jobs: 2,
  signal: new AbortController().signal,
  readTree: async () => ({ tree: 'a'.repeat(40), dirty: null, commit: 'b'.repeat(40) }),
}
const check = (...argv: string[]) => ({ argv, criteria: [{ criterionId: 'AC-1' }] })

test('the end of each command is a verification with its observation, and a command that did not run to its end has none', async () => {
  const results = await runChecks(
    [
      check('true'),
      check('sh', '-c', 'echo no; exit 1'),
      check('no-such-program'),
      check('false', '--password=[redacted:9f]'),
      check(...SHELL, 'yes | head -1'),
      check(...SHELL, 'exit 3 | cat'),
      check('sh', '-c', 'exit 141'),
    ],
    options,
  )
  expect(
    results.map(({ verifications: [seen], notStarted }) => [seen?.status, seen?.evidence, notStarted]),
  ).toEqual([
    ['verified', '`true` exited with 0', null],
    ['rejected', '`sh -c "echo no; exit 1"` exited with 1', null],
    [undefined, undefined, 'the program, or the folder, does not exist'],
    [undefined, undefined, expect.stringMatching(/^a secret in it is masked/)],
    [undefined, undefined, expect.stringContaining('no longer read its output')],
    ['rejected', '`bash -eo pipefail -c "exit 3 | cat"` exited with 3', null],
    ['rejected', '`sh -c "exit 141"` exited with 141', null],
  ])
  expect(results[1]?.verifications[0]).toMatchObject({
    criterionId: 'AC-1',
    source: 'command',
    observation: {
      command: ['sh', '-c', 'echo no; exit 1'],
      cwd: 'src/verify',
      exitCode: 1,
      outputTail: 'no',
      tree: 'a'.repeat(40),
      dirty: null,
    },
  })
})

test('a time-out is a rejection that names its limit', async () => {
  const [result] = await runChecks([check('sleep', '1000')], { ...options, timeoutMs: 200 })
  expect(result?.verifications).toMatchObject([
    { status: 'rejected', evidence: '`sleep 1000` was ended by SIGTERM, because it took longer than 200 ms' },
  ])
  expect([1_500, 600_000, 90_000].map(showDuration)).toEqual(['1.5 s', '10 min', '90 s'])
})

/** Lists the files that a module imports, also later. */
function listImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, relative = ''] of text.matchAll(/(?:from|import|import\()\s*'(\.[^']+\.tsx?)'/g))
    listImports(path.resolve(path.dirname(file), relative), found)
  return found
}

test('the service loads no code that runs the commands of a specification', () => {
  const own = fileURLToPath(new URL('.', import.meta.url))
  const src = path.dirname(path.resolve(own))
  const service = ['http', 'mcp', 'operations'].flatMap((layer) =>
    readdirSync(path.join(src, layer))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) => [...listImports(path.join(src, layer, name))]),
  )
  expect(service).toContain(path.join(src, 'memory/specification/declare.ts'))
  expect(service.filter((file) => file.startsWith(path.resolve(own)))).toEqual([])
  expect(listImports(path.join(src, 'cli/verify.ts'))).toContain(
    path.join(path.resolve(own), 'run-command.ts'),
  )
})
