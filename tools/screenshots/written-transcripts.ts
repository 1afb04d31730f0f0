// Transcripts for screenshots and for tests of the page: agents that search, read, edit and run tests in a
// loop.
import type { TurngraphClient } from '../../src/client/client.ts'
import { bytesOf, send, sessionOf, turn } from '../../test/support/transcript-import.ts'
import { PROJECT, TRANSCRIPT } from './written-sessions.ts'

const FIX = ['Grep', 'Read', 'Read', 'Edit', 'Bash', 'Edit', 'Bash']
const EXPLORE = ['Glob', 'Grep', 'Read', 'Read', 'Read', 'Grep', 'Read', 'Read']
const TRY = ['Bash', 'Bash', 'Bash', 'Edit', 'Bash', 'Bash']
const SHORT = ['Read', 'Edit']

const TESTS_FAIL = 'Exit code 1\nFAIL test/cart/total.test.ts: expected 20.01, received 20'
const NOT_READ = 'File has not been read yet. Read it first before writing to it.'

/** Writes five sessions; the first belongs to the first turn of the session in the pictures. */
export async function writeTranscripts(client: TurngraphClient): Promise<void> {
  for (let session = 0; session < 5; session++) {
    const id = (part: string) => `${session}-${part}`
    const bytes = bytesOf(
      turn(id('fix'), FIX, { from: session * 600, errors: { 4: TESTS_FAIL } }),
      turn(id('explore'), EXPLORE, { from: session * 600 + 60 }),
      turn(id('try'), session % 2 === 0 ? TRY : [...TRY, 'Edit', 'Bash'], {
        from: session * 600 + 120,
        errors: { 0: TESTS_FAIL, 3: NOT_READ },
      }),
      turn(id('short'), SHORT, { from: session * 600 + 180 }),
    )
    await send(client, session === 0 ? TRANSCRIPT : sessionOf(session), bytes, { project: PROJECT })
  }
}
