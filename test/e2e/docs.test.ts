import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { commandsOn, splitArguments, temporaryFolder } from './command.ts'

/** Every shell block of the README and the how-tos runs and prints the shown output (Cypher: test/contract). */

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = [
  'README.md',
  ...readdirSync(path.join(root, 'docs/how-to')).map((name) => `docs/how-to/${name}`),
]

const blocksOf = (file: string, language: string): string[] =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, written, text = '']) => (written === language ? [text] : []),
  )

/** Runs a script in the checkout, with a service and a data folder of this test. */
async function runInShell(script: string, { url, folder }: { url: string; folder: string }): Promise<string> {
  const own = script
    .replaceAll('npx turngraph', 'node dist/bin/main.js')
    .replaceAll('.turngraph/token', path.join(folder, 'token'))
    .replaceAll('http://127.0.0.1:7480', url)
  const places = { TURNGRAPH_DATA: folder, TURNGRAPH_URL: '', TURNGRAPH_STORE: '', TMPDIR: temporaryFolder() }
  const env = { ...process.env, ...places }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', own], { cwd: root, env })
  return stdout
}

type Line = { args: readonly string[]; input: string }

/** Splits a script into commands of Turngraph, with their input from `echo` or a file; null if it needs a shell. */
function splitScript(script: string): Line[] | null {
  const lines = script
    .replace(/ *\\\n */g, ' ')
    .trim()
    .match(/^(?:echo '[^']*' \|\s+)?[^\n]+$/gm)
  const found: Line[] = []
  for (const line of lines ?? []) {
    const [, echoed, command = '', file] = /^(?:echo '([^']*)' \|\s+)?(.*?)(?: < (\S+))?$/.exec(line) ?? []
    const args = splitArguments(command)
    if (args === null) return null
    found.push({
      args,
      input: file === undefined ? (echoed ?? '') : readFileSync(path.join(root, file), 'utf8'),
    })
  }
  return found
}

/** Runs a script. Commands of Turngraph run in this process, which takes a tenth of the time. */
async function runBlock(script: string, user: ReturnType<typeof commandsOn>, url: string): Promise<string> {
  const lines = splitScript(script)
  if (lines === null) return runInShell(script, { url, folder: user.folder })
  let printed = ''
  for (const { args, input } of lines) {
    const { code, stdout, stderr } = await user.run(args, { cwd: root, input })
    expect(code, `${script}${stderr}`).toBe(0)
    printed += stdout
  }
  return printed
}

/** Creates a project that has the package installed. */
function projectWith(sources: readonly string[]): { folder: string; files: string[] } {
  const folder = temporaryFolder()
  mkdirSync(path.join(folder, 'node_modules'))
  symlinkSync(root, path.join(folder, 'node_modules/turngraph'))
  symlinkSync(path.join(root, 'node_modules/@langchain'), path.join(folder, 'node_modules/@langchain'))
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  const written = sources.map((text, i) => {
    writeFileSync(path.join(folder, `block-${i}.ts`), text)
    return `block-${i}.ts`
  })
  return { folder, files: written }
}

/** Converts a table to tabs between columns: documents show the output of a terminal, but this test reads a pipe. */
const columnsApart = (text: string): string => text.replace(/\t|(?<=\S) {2,}/g, '\t')

const run = promisify(execFile)
const withCode = files.filter((file) => blocksOf(file, 'sh').length + blocksOf(file, 'ts').length > 0)

test.each(withCode)(
  'the commands and the TypeScript of %s run, and print what stands there',
  async (file) => {
    const user = commandsOn(temporaryFolder())
    const executors = path.join(root, 'examples/runs/executors.json')
    const { url } = await user.startService({ TURNGRAPH_EXECUTORS: executors })
    const printed: string[] = []
    for (const script of blocksOf(file, 'sh')) {
      const answer = await runBlock(script, user, url)
      expect(answer, script).not.toMatch(/^Nothing\.$/m)
      printed.push(answer)
    }
    if (file === 'README.md') expect(printed.at(-1)).toContain('"status":"ok"')
    const blocks = blocksOf(file, 'ts').map((text) => text.replaceAll('http://127.0.0.1:7480', url))
    const { folder, files: programs } = projectWith(blocks)
    const token = readFileSync(path.join(user.folder, 'token'), 'utf8').trim()
    // Runs all programs in one process: each of them would load the package first.
    writeFileSync(
      path.join(folder, 'all.ts'),
      programs.map((program) => `await import('./${program}')\n`).join(''),
    )
    if (programs.length > 0) {
      const args = ['--import', import.meta.resolve('tsx'), 'all.ts']
      const env = { ...process.env, TURNGRAPH_TOKEN: token }
      printed.push((await run(process.execPath, args, { cwd: folder, env })).stdout)
    }
    const answers = columnsApart(printed.join('\n'))
    for (const shown of blocksOf(file, 'text')) expect(answers).toContain(columnsApart(shown.trim()))
  },
)

test('the commands of the how-tos of a session run in sequence in one folder, like those of a new user', async () => {
  const user = commandsOn(temporaryFolder())
  const url = 'http://127.0.0.1:7480' // no service: each command opens the graph
  for (const name of ['orchestrator', 'coach', 'analyst']) {
    const printed: string[] = []
    for (const script of blocksOf(`docs/how-to/${name}.md`, 'sh'))
      printed.push(await runBlock(script, user, url))
    if (name === 'coach') expect(printed.join('\n')).toContain('Turn 1 of world TASK-LOGIN-1: feedback')
  }
})

test('the TypeScript of the documents has the types of the package', async () => {
  const { folder, files: programs } = projectWith(files.flatMap((file) => blocksOf(file, 'ts')))
  const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')]
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
  const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, ...options, ...types, ...programs], { cwd: folder })
  expect(stdout).toBe('')
})

test('docker-compose.yml listens on this machine only, and takes its password from .env', () => {
  const compose = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8')
  const { services } = parse(compose) as { services: Record<string, { ports?: string[] }> }
  const ports = Object.values(services).flatMap((service) => service.ports ?? [])
  expect(ports.length).toBeGreaterThan(0)
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  expect(compose).toContain('NEO4J_AUTH: neo4j/${TURNGRAPH_NEO4J_PASSWORD:?')
  const settings = readFileSync(path.join(root, '.env.example'), 'utf8')
  expect(settings.match(/^[^#\n].*$/gm)).toEqual(['TURNGRAPH_NEO4J_PASSWORD='])
  expect(readFileSync(path.join(root, '.gitignore'), 'utf8').split('\n')).toContain('.env')
})

test('links between the documents have a target', () => {
  const documents = [
    ...files,
    'docs/concepts.md',
    'docs/graph.md',
    'docs/operations.md',
    'CONTRIBUTING.md',
    'docs/reference.md',
  ]
  for (const file of documents) {
    const text = readFileSync(path.join(root, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)) {
      const at = path.join(root, path.dirname(file), target)
      expect(
        () => readdirSync(path.dirname(at)).includes(path.basename(at)) || readFileSync(at),
        `${file}: ${target}`,
      ).not.toThrow()
    }
  }
})

test('no message of the program names a document of the repository, which an installation does not have', () => {
  const bin = path.join(root, 'dist/bin')
  const named = readdirSync(bin).flatMap(
    (name) => readFileSync(path.join(bin, name), 'utf8').match(/.{0,60}\bdocs\/[\w/-]+\.md/g) ?? [],
  )
  expect(named).toEqual([])
})
