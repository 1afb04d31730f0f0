/** `turngraph proof`: tries the guarantees on a store, and writes what was seen. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { EXIT } from '../core/exit-codes.ts'
import type { Proven } from '../proof/prove.ts'
import { action, JSON_FORM } from './command.ts'
import { printJson, printNote, printText } from './output.ts'

/** A writer is killed after so many acknowledged turns. */
const ACKNOWLEDGED = 20

export const addProof = action(
  {
    name: 'proof',
    description: 'try the guarantees on the store, and write what was seen to proof.md',
    options: { out: ['--out <file>', 'where to write (default: proof.md)'], ...JSON_FORM },
    help: `The store is that of the settings, a Neo4j of yours too. Everything happens in projects of its own, whose names begin with
turngraph-proof-; they are removed afterwards. Exit codes: 0 all guarantees hold, 8 one is broken; else those of every command.

Examples:
  turngraph proof
  TURNGRAPH_STORE=neo4j://graph.example:7687 turngraph proof --out neo4j.md`,
  },
  proveStore,
)

type Options = { out?: string | undefined; json?: boolean | undefined }

async function proveStore({ out = 'proof.md', json = false }: Options): Promise<void> {
  const { connect, configFor } = await import('./connect.ts')
  const { describeStore } = await import('./describe-store.ts')
  const { prove } = await import('../proof/prove.ts')
  const { renderProof } = await import('../proof/report.ts')
  const { writeFile } = await import('node:fs/promises')
  const project = `turngraph-proof-${crypto.randomUUID().slice(0, 8)}`
  const about = await describeStore(configFor(project))
  const proven = await prove({
    open: () => connect({ project }),
    killWriter,
    project,
    onBegin: ({ name }) => printNote(`Trying: ${name}`),
  })
  const at = new Date()
  const runtime = `Node ${process.version}, ${process.platform} ${process.arch}`
  await writeFile(out, renderProof(proven, { ...about, runtime, at }))
  const healthy = proven.every(({ holds }) => holds)
  if (!healthy) process.exitCode = EXIT.found.code
  if (json) return printJson({ ...about, runtime, at: at.toISOString(), guarantees: proven })
  for (const each of proven) printText(renderGuarantee(each))
  printNote(`Wrote ${out}.`)
}

const renderGuarantee = ({ name, holds, broken }: Proven): string =>
  holds ? `holds: ${name}` : `BROKEN: ${name}: ${broken?.what}`

/** Has `turngraph capture` store turns, and kills it: what it printed until then was acknowledged. */
async function killWriter(turns: readonly object[]): Promise<number[]> {
  const { toWire } = await import('../core/wire-form.ts')
  const { operations } = await import('../operations/table.ts')
  const [, program = ''] = process.argv
  const writer = spawn(process.execPath, [...process.execArgv, program, 'capture', '-', '--json'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  writer.stdin.on('error', () => {}) // it is killed while it may still be read
  writer.stdin.end(
    turns.map((turn) => JSON.stringify(toWire(operations.captureTurnState.input, turn))).join('\n'),
  )
  const acknowledged: number[] = []
  for await (const line of createInterface({ input: writer.stdout })) {
    const { turn_number: turn }: { turn_number?: number } = JSON.parse(line)
    if (turn === undefined) continue
    acknowledged.push(turn)
    if (acknowledged.length === ACKNOWLEDGED) writer.kill('SIGKILL')
  }
  return acknowledged
}
