// Fuzzes a service with schemathesis: `npm run fuzz [-- --seconds N]`. Settings: schemathesis.toml.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isReady, temporaryFolder, withService } from '../../test/faults/harness/service-process.ts'

const VERSION = '4.32.5'

const root = fileURLToPath(new URL('../..', import.meta.url))
const environment = path.join(root, '.fuzz', `schemathesis-${VERSION}`)
const schemathesis = path.join(environment, 'bin', 'schemathesis')

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } },
})
process.exitCode = install() ? await fuzz() : Number(process.env.REQUIRE_FUZZ === '1')

/** Installs schemathesis into a separate environment. Returns false if it is not available here. */
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
  const { folder: dataFolder, remove } = temporaryFolder()
  try {
    const { TURNGRAPH_STORE } = process.env
    const environment = { TURNGRAPH_AUTH: 'token', ...(TURNGRAPH_STORE !== undefined && { TURNGRAPH_STORE }) }
    const onOutput = (text: string) => process.stderr.write(text)
    return await withService({ dataFolder, environment, onOutput }, async (service) => {
      const seed = values.seed === undefined ? [] : ['--seed', values.seed]
      const config = ['--config-file', path.join(root, 'tools/fuzz/schemathesis.toml')]
      const run = ['run', `${service.url}/openapi.json`, '--max-time', values.seconds, ...seed]
      const child = spawn(schemathesis, [...config, ...run], {
        cwd: dataFolder,
        stdio: 'inherit',
        env: {
          ...process.env,
          PYTHONPATH: path.join(root, 'tools/fuzz'), // hooks
          PYTHONDONTWRITEBYTECODE: '1',
          FUZZ_SERVICE_PID: String(service.pid),
          FUZZ_TOKEN: readFileSync(path.join(dataFolder, 'token'), 'utf8').trim(),
        },
      })
      const [status] = await once(child, 'close')
      const isUp = await isReady(service)
      if (!isUp) console.log('fuzz: the service ended')
      return status === 0 && isUp ? 0 : 1
    })
  } finally {
    remove()
  }
}
