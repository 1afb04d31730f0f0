/** Options of `turngraph verify`. */
import { InvalidArgumentError } from 'commander'
import { type Given as GivenBy, SHARED, TASK } from './command.ts'

const collect = (text: string, before: string[] = []): string[] => {
  if (text === '') throw new InvalidArgumentError('It is empty.')
  return [...before, text]
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const MAX_TIMEOUT_MS = 86_400_000

function parseDuration(text: string): number {
  const [, number = '', unit = 's'] = /^(\d{1,9})(ms|s|m|h)?$/.exec(text) ?? []
  const ms = Number(number) * (UNITS[unit] ?? 0)
  if (number !== '' && ms > 0 && ms <= MAX_TIMEOUT_MS) return ms
  throw new InvalidArgumentError('It must be a duration up to 24h, such as 90s or 10m.')
}

/** Options that only a run of commands has. */
const RUNS = ['dryRun', 'shell', 'jobs', 'timeout']
const REPORTS = { parse: collect, conflicts: [...RUNS, 'manual', 'send'] }

export const VERIFY_ARGUMENTS = {
  command: ['[command...]', 'after --: command to run instead, with --criterion'],
} as const

export const VERIFY_OPTIONS = {
  ...TASK,
  turnNumber: ['--turn <n>', 'turn to which the result is added (default: the newest)'],
  criterionIds: ['--criterion <id>', 'only this criterion; repeat it for several', { parse: collect }],
  timeoutMs: ['--timeout <duration>', 'time limit of each command (default: 10m)', { parse: parseDuration }],
  jobs: ['--jobs <n>', 'number of commands that run at the same time (default: 1)'],
  dryRun: ['--dry-run', 'print the commands, and run nothing'],
  shell: ['--shell', 'run the COMMAND with bash, as for pipes; each part of it must succeed'],
  manual: [
    '--manual <id>',
    'record that a person has looked at this criterion; repeat it for several',
    { parse: collect, conflicts: ['dryRun', 'shell', 'jobs'] },
  ],
  reason: ['--reason <text>', 'with --manual: what the person saw'],
  send: ['--send <file>', 'send what an earlier call could not record', { conflicts: ['manual'] }],
  junit: ['--junit <file...>', 'record what the tests of these JUnit reports prove', REPORTS],
  tap: ['--tap <file...>', 'the same for TAP reports', REPORTS],
  vitestJson: ['--vitest-json <file...>', 'the same for JSON reports of vitest or Jest', REPORTS],
  status: [
    '--status',
    'print which criteria were observed on this tree, and run nothing',
    { conflicts: [...RUNS, 'manual', 'reason', 'send', 'turn', 'junit', 'tap', 'vitestJson'] },
  ],
  ...SHARED,
} as const

export type Given = GivenBy<typeof VERIFY_ARGUMENTS> & GivenBy<typeof VERIFY_OPTIONS>
