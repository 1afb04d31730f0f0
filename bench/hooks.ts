/** Measures how long the hooks of Claude Code take, from their start to their end, against a Node that does nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { cli, startServiceProcess, untilReady } from '../test/faults/harness/service-process.ts'
import { rotated, sampler } from './latency.ts'

export type HooksBench = { samples: number; out: string }

const TASK = { featureId: 'FEAT-1', taskId: 'TASK-1' }
const TURNS = 20
const CRITERIA = 20

type Form = { name: string; args: string[]; event: string; url?: string }

export async function benchHooks({ samples, out }: HooksBench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const dataFolder = path.join(folder, 'graph')
  const service = await startServiceProcess({ dataFolder })
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    await untilReady(service)
    await fillTask(service.client)
    const address = silent.address()
    const silentUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
    const hook = (program: string, ...args: string[]) => [path.join(path.dirname(cli), program), ...args]
    const gate = (data: string) => hook('hook-gate.js', data, '100000')
    const context = (data: string) => hook('hook-context.js', data)
    const nowhere = path.join(folder, 'nowhere')
    const forms: Form[] = [
      { name: 'node alone', args: ['-e', '0'], event: 'Stop' },
      { name: 'gate, service up', args: gate(dataFolder), event: 'Stop' },
      { name: 'context, service up', args: context(dataFolder), event: 'SessionStart' },
      { name: 'gate, no service', args: gate(nowhere), event: 'Stop' },
      { name: 'context, no service', args: context(nowhere), event: 'SessionStart' },
      { name: 'gate, a service that is silent', args: gate(nowhere), event: 'Stop', url: silentUrl },
      {
        name: 'context, a service that is silent',
        args: context(nowhere),
        event: 'SessionStart',
        url: silentUrl,
      },
    ]
    const load = loadavg()
    const { sample, figures } = sampler()
    const longest = new Map<string, number>()
    for (let round = 0; round < samples; round++)
      for (const form of rotated(forms, round)) {
        const began = performance.now()
        await sample(form.name, () => runHook(form, folder, `session-${round}`))
        longest.set(form.name, Math.max(longest.get(form.name) ?? 0, performance.now() - began))
      }
    console.log(`load before: ${load.map((each) => each.toFixed(2)).join(' ')}, Node ${process.version}`)
    for (const [name, { p50, p95 }] of Object.entries(figures()))
      console.log(
        `${name.padEnd(36)} p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, longest ${longest.get(name)?.toFixed(0)} ms`,
      )
    mkdirSync(path.dirname(out), { recursive: true })
    const result = { load, node: process.version, figures: figures(), longest: Object.fromEntries(longest) }
    writeFileSync(out, `${JSON.stringify(result, null, 2)}\n`)
  } finally {
    silent.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A task in the middle of its work: half of its criteria are proven. */
async function fillTask(client: Awaited<ReturnType<typeof startServiceProcess>>['client']): Promise<void> {
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
  child.stdin.on('error', () => {}) // a Node that does nothing has ended by now
  child.stdin.end(JSON.stringify(input))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
}
