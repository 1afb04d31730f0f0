import { type Command, Option } from 'commander'
import type { CaptureLinesOptions } from './capture-lines.ts'
import { withJson, withProject } from './options.ts'
import { printJson, printText } from './output.ts'

type CaptureOptions = CaptureLinesOptions & { project?: string; json?: boolean }

export function addCapture(program: Command): void {
  const capture = program
    .command('capture')
    .description('store a turn record, given as JSON, or many as JSON lines')
    .argument('[file]', 'the record; - or none is standard input', '-')
    .addOption(
      new Option(
        '--on-conflict <what>',
        'where another record is stored at the turn (default: error)',
      ).choices(['error', 'supersede']),
    )
    .addHelpText(
      'after',
      `
Of JSON lines each one is answered, and one that cannot be stored does not stop the others.

Examples:
  turngraph capture turn.json
  echo '{"feature_id":"FEAT-1","task_id":"TASK-1","turn_number":1,"player_summary":"Built it"}' | turngraph capture
  turngraph capture turns.jsonl --on-conflict supersede
`,
    )
    .action(captureFrom)
  withJson(withProject(capture))
}

async function captureFrom(file: string, options: CaptureOptions): Promise<void> {
  const [
    { readRecordFile },
    { captureLines, describeCapture, parseCapture },
    { operations },
    { toWire },
    { withClient },
  ] = await Promise.all([
    import('./record-file.ts'),
    import('./capture-lines.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
    import('./connect.ts'),
  ])
  const { project, json = false } = options
  const read = await readRecordFile(file)
  if ('lines' in read) {
    await withClient({ project }, (client) => captureLines(client, read.lines, options))
    return
  }
  const request = parseCapture(read.record, options)
  const answer = await withClient({ project }, (client) => client.captureTurnState(request))
  if (json) return printJson(toWire(operations.captureTurnState.output, answer))
  printText(describeCapture(answer))
}
