/** `turngraph capture`: stores a turn record, or those of JSON lines. */
import { ask } from './ask.ts'
import { action, SHARED } from './command.ts'
import { printText } from './output.ts'

export const addCapture = action(
  {
    name: 'capture',
    description: 'store a turn record, given as JSON, or many as JSON lines',
    arguments: { file: ['[file]', 'the record; - or none is standard input', { default: '-' }] },
    options: {
      onConflict: [
        '--on-conflict <what>',
        'where another record is stored at the turn (default: error)',
        { choices: ['error', 'supersede'] },
      ],
      createWorld: [
        '--create-world',
        'make a world that does not exist, also above turn 1 of a task that has worlds',
      ],
      ...SHARED,
    },
    help: `Of JSON lines each one is answered, and one that cannot be stored does not stop the others.

Examples:
  turngraph capture turn.json
  echo '{"feature_id":"FEAT-1","task_id":"TASK-1","turn_number":1,"player_summary":"Built it"}' | turngraph capture
  turngraph capture turns.jsonl --on-conflict supersede`,
  },
  async ({ file = '-', ...options }) => {
    const { readRecordFile } = await import('./record-file.ts')
    const { captureLines, describeCapture, parseCapture } = await import('./capture-lines.ts')
    const { withClient } = await import('./connect.ts')
    const read = await readRecordFile(file)
    if ('lines' in read) return withClient(options, (client) => captureLines(client, read.lines, options))
    return ask('captureTurnState', parseCapture(read.record, options), options, (answer) =>
      printText(describeCapture(answer)),
    )
  },
)
