/** Calls `gh`, the command line of GitHub, without a shell. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { TurngraphError } from '../../core/errors.ts'
import { isGone } from '../../core/system-code.ts'

export type GhAnswer = { code: number | null; stdout: string; stderr: string }

const TIMEOUT_MS = 60_000

/** Exit code of `gh` without a login. */
const NOT_SIGNED_IN = 4

/** @throws `not_found` if gh is not installed, `unauthorized` if it is not signed in, `timeout` */
export async function callGh(args: readonly string[], input = ''): Promise<GhAnswer> {
  const child = spawn('gh', args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    env: { ...process.env, GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' },
  })
  child.stdin.on('error', () => {}) // a program that does not read its input may close it
  child.stdin.end(input)
  const ended = once(child, 'close')
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  try {
    await ended
  } catch (cause) {
    throw toStartError(cause)
  }
  const [stdout, stderr] = await output
  if (child.exitCode === NOT_SIGNED_IN) throw notSignedIn()
  return { code: child.exitCode, stdout, stderr }
}

function toStartError(cause: unknown): unknown {
  if (cause instanceof Error && cause.name === 'AbortError') {
    return new TurngraphError('timeout', `gh did not answer within ${TIMEOUT_MS / 1_000} s.`, { cause })
  }
  if (!isGone(cause)) return cause
  return new TurngraphError('not_found', 'gh, the command line of GitHub, is not installed.', {
    hint: 'Install it from https://cli.github.com. --dry-run prints the comment without it.',
    cause,
  })
}

export const notSignedIn = (): TurngraphError =>
  new TurngraphError('unauthorized', 'gh is not signed in to GitHub.', {
    hint: 'Run gh auth login, or set GH_TOKEN (in a workflow: to github.token).',
  })
