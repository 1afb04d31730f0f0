// Fuzzes a service with schemathesis: `npm run fuzz [-- --seconds N]`. Settings: schemathesis.toml.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const VERSION = '4.32.5'

const root = fileURLToPath(new URL('../..', import.meta.url))
const environment = path.join(root, '.fuzz', `schemathesis-${VERSION}`)
const schemathesis = path.join(environment, 'bin', 'schemathesis')

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } },
})
process.exitCode = install() ? await fuzz() : Number(process.env.REQUIRE_FUZZ === '1')

/** In an environment of its own, so that nothing else of the machine changes. False: it cannot be had here. */
function install(): boolean {
  if (existsSync(schemathesis)) return true
  const steps = [
    ['python3', '-m', 'venv', environment],
    [path.join(environment, 'bin', 'pip'), 'install', '--quiet', `schemathesis==${VERSION}`],
  ]
  for (const [command = '', ...args] of steps) {
    if (spawnSync(command, args, { stdio: 'inherit' }).status === 0) continue
    rmSync(environment, { recursive: true, force: true })
    console.log(`fuzz: left out, as \`${path.basename(command)} ${args.join(' ')}\` failed`)
    return false
  }
  return true
}

async function fuzz(): Promise<number> {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'turngraph-fuzz-'))
  const service = spawn(process.execPath, [path.join(root, 'dist/bin/main.js'), 'serve', '--port', '0'], {
    cwd: dataFolder,
    env: { ...process.env, TURNGRAPH_DATA: dataFolder, TURNGRAPH_LOG: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const url = await listening(service)
    const seed = values.seed === undefined ? [] : ['--seed', values.seed]
    const config = ['--config-file', path.join(root, 'tools/fuzz/schemathesis.toml')]
    const run = ['run', `${url}/openapi.json`, '--max-time', values.seconds, ...seed]
    const child = spawn(schemathesis, [...config, ...run], {
      cwd: dataFolder,
      stdio: 'inherit',
      env: {
        ...process.env,
        PYTHONPATH: path.join(root, 'tools/fuzz'), // hooks
        PYTHONDONTWRITEBYTECODE: '1',
        FUZZ_TOKEN: readFileSync(path.join(dataFolder, 'token'), 'utf8').trim(),
      },
    })
    const [status] = await once(child, 'close')
    if (service.exitCode !== null) console.log('fuzz: the service ended')
    return status === 0 && service.exitCode === null ? 0 : 1
  } finally {
    const ended = service.exitCode === null ? once(service, 'exit') : null
    service.kill()
    await ended
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

/** Its address, once it says that it listens; what it says of errors goes on to our standard error. */
function listening(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (service.stderr === null) throw new Error('the service has no standard error')
    createInterface({ input: service.stderr }).on('line', (line) => {
      const { level, msg, url } = JSON.parse(line)
      if (msg === 'listening') resolve(url)
      if (level === 'error' || level === 'fatal') console.error(line)
    })
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}`)))
  })
}
