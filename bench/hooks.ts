/** Measures the hooks of Claude Code from start to end, against a Node process without work. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { loadavg } from 'node:os'
import path from 'node:path'
import type { TurngraphClient } from '../src/client/client.ts'
import { cli, withService } from '../test/faults/harness/service-process.ts'
import { inFolder, writeFigures } from './bench-folder.ts'
import { measureMs, rotated, sampler } from './latency.ts'

type HooksBench = { samples: number; out: string }

const TASK = { featureId: 'FEAT-1', taskId: 'TASK-1' }
const TURNS = 20
const CRITERIA = 20

type Form = { name: string; args: string[]; event: string; url?: string }

export const benchHooks = ({ samples, out }: HooksBench): Promise<void> =>
  inFolder(async (folder) => {
    const dataFolder = path.join(folder, 'graph')
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    try {
      await once(silent, 'listening')
      await withService({ dataFolder }, async ({ client }) => {
        await fillTask(client)
        const address = silent.address()
        const port = typeof address === 'object' ? address?.port : address
        const forms = listForms(dataFolder, path.join(folder, 'nowhere'), `http://127.0.0.1:${port}`)
        await measure(forms, folder, samples, out)
      })
    } finally {
      silent.close()
    }
  })

function listForms(dataFolder: string, nowhere: string, silentUrl: string): Form[] {
  const hook = (program: string, ...args: string[]) => [path.join(path.dirname(cli), program), ...args]
  const gate = (data: string) => ({ args: hook('hook-gate.js', data, '100000'), event: 'Stop' })
  const context = (data: string) => ({ args: hook('hook-context.js', data), event: 'SessionStart' })
  return [
    { name: 'node alone', args: ['-e', '0'], event: 'Stop' },
    { name: 'gate, service up', ...gate(dataFolder) },
    { name: 'context, service up', ...context(dataFolder) },
    { name: 'gate, no service', ...gate(nowhere) },
    { name: 'context, no service', ...context(nowhere) },
    { name: 'gate, a service that is silent', ...gate(nowhere), url: silentUrl },
    { name: 'context, a service that is silent', ...context(nowhere), url: silentUrl },
  ]
}

async function measure(forms: readonly Form[], folder: string, samples: number, out: string): Promise<void> {
  const load = loadavg()
  const { sample, figures } = sampler()
  const longest = new Map<string, number>()
  for (let round = 0; round < samples; round++)
    for (const form of rotated(forms, round)) {
      const ms = await measureMs(() => sample(form.name, () => runHook(form, folder, `session-${round}`)))
      longest.set(form.name, Math.max(longest.get(form.name) ?? 0, ms))
    }
  console.log(`load before: ${load.map((each) => each.toFixed(2)).join(' ')}, Node ${process.version}`)
  for (const [name, { p50, p95 }] of Object.entries(figures()))
    console.log(
      `${name.padEnd(36)} p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, longest ${longest.get(name)?.toFixed(0)} ms`,
    )
  const result = { load, node: process.version, figures: figures(), longest: Object.fromEntries(longest) }
  writeFigures(out, result)
}

/** Fills a task that is half done: half of its criteria are proven. */
async function fillTask(client: TurngraphClient): Promise<void> {
  for (let turnNumber = 1; turnNumber <= TURNS; turnNumber++)
    await client.captureTurnState({
      ...TASK,
      turnNumber,
      playerSummary: `Built part ${turnNumber} of what is asked for, and wrote the tests of it`,
      verifications: Array.from({ length: CRITERIA }, (_, i) => ({
        criterionId: `AC-${i}`,
        criterionText: `Part ${i} answers within its time, and says what went wrong where it cannot`,
        status: i < CRITERIA / 2 ? ('verified' as const) : ('rejected' as const),
      })),
    })
}

async function runHook({ args, event, url }: Form, folder: string, sessionId: string): Promise<void> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TURNGRAPH_'))
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      ...Object.fromEntries(inherited),
      TURNGRAPH_TASK: `${TASK.featureId}/${TASK.taskId}`,
      ...(url !== undefined && { TURNGRAPH_URL: url }),
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const input = { hook_event_name: event, session_id: sessionId, cwd: folder, source: 'startup' }
  child.stdin.on('error', () => {}) // a Node process without work has already ended
  child.stdin.end(JSON.stringify(input))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
}
