import type { Command } from 'commander'
import { withJson, withProject } from './options.ts'
import { printJson, printText } from './output.ts'

type CaptureOptions = { project?: string; json?: boolean }

export function addCapture(program: Command): void {
  const capture = program
    .command('capture')
    .description('store one turn record, given as JSON')
    .argument('[file]', 'the record; - or none is standard input', '-')
    .addHelpText(
      'after',
      `
Examples:
  turngraph capture turn.json
  echo '{"feature_id":"FEAT-1","task_id":"TASK-1","turn_number":1,"player_summary":"Built it"}' | turngraph capture
`,
    )
    .action(captureFrom)
  withJson(withProject(capture))
}

async function captureFrom(file: string, { project, json = false }: CaptureOptions): Promise<void> {
  const [{ readRecord }, { operations }, { parseWire, toWire }, { withClient }] = await Promise.all([
    import('./record-file.ts'),
    import('../operations.ts'),
    import('../wire.ts'),
    import('./connect.ts'),
  ])
  const { input, output } = operations.captureTurnState
  const record = parseWire(input, await readRecord(file), 'the turn record')
  // The option is the nearer word: what the record itself names gives way.
  const request = project === undefined ? record : { ...record, project }
  const answer = await withClient({ project }, (client) => client.captureTurnState(request))
  if (json) return printJson(toWire(output, answer))
  const { turnNumber, worldSlug, created, superseded } = answer
  const done = superseded ? 'Replaced' : created ? 'Stored' : 'Already stored:'
  printText(`${done} turn ${turnNumber} of world ${worldSlug}`)
}
