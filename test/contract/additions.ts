import { describe, expect, test } from 'vitest'
import type { TurnToSend } from '../support/records.ts'
import { aTurn, clientOf, FEATURE, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Verification = NonNullable<TurnToSend['verifications']>[number]
type Seen = NonNullable<Verification['observation']>

const TREE = 'a'.repeat(40)

/** An observation of a command that succeeded. */
const anObservation = (more: Partial<Seen> = {}): Seen => ({
  command: ['npm', 'test', '--', '-t', 'half to even'],
  cwd: '.',
  exitCode: 0,
  startedAt: '2026-03-01T10:00:00Z',
  durationMs: 8213,
  outputDigest: `sha256:${'0'.repeat(64)}`,
  tree: TREE,
  ...more,
})

/** Observations, and verifications that are added after a turn has ended (contract: evidence.md). */
export function additionsContract(store: StoreUnderTest): void {
  describe('observations', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const task = { featureId: FEATURE, taskId: TASK }
    const verification = (more: Partial<Verification> = {}): Verification => ({
      criterionId: 'AC-1',
      criterionText: 'It rounds',
      status: 'verified',
      ...more,
    })
    const capture = (turnNumber: number, ...verifications: Verification[]) =>
      client().captureTurnState(aTurn(turnNumber, { worldSlug: 'main', verifications }))

    test('a captured observation is returned as it was sent, with its defaults and a sentence as evidence', async () => {
      const tests = [{ name: 'rounds half to even', status: 'passed' as const }]
      const turn = await capture(1, verification({ observation: anObservation({ tests }) }))
      const stored = {
        evidence: '`npm test -- -t "half to even"` exited with 0',
        observation: {
          ...anObservation(),
          startedAt: '2026-03-01T10:00:00Z',
          tests: [{ ...tests[0], durationMs: null }],
          ...{
            signal: null,
            outputTail: null,
            dirty: null,
            commit: null,
            runner: null,
            host: null,
            report: null,
          },
        },
      }
      expect(turn.verifications).toMatchObject([stored])
      const read = await client().getTurn({ worldSlug: 'main', turnNumber: 1 })
      expect(read.verifications).toEqual(turn.verifications)
      expect(await client().captureTurnState(read)).toMatchObject({ created: false })
    })

    test('its criterion is known by it, and names the files that were seen', async () => {
      await capture(1, verification({ observation: anObservation() }))
      await capture(2, verification({ evidence: 'I looked at it' }))
      const read = async (more: { turn?: number; policy?: 'observed' } = {}) => {
        const { observed, criteria } = await client().listCriteria({ ...task, ...more })
        return [observed, criteria[0]?.basis, criteria[0]?.observedOn]
      }
      const on = { tree: TREE, dirty: null, commit: null, at: '2026-03-01T10:00:00Z' }
      expect(await read({ turn: 1 })).toEqual([1, 'observed', on])
      expect(await read()).toEqual([0, 'judged', undefined])
      expect(await read({ policy: 'observed' })).toEqual([1, 'observed', on])
    })

    test('the end of a long output is stored, with its secrets masked before it is cut', async () => {
      const secret = 'postgres://app:hunter2hunter2@db/app'
      const outputTail = `${'é'.repeat(3000)}${secret}`
      const { redactions, ...turn } = await capture(
        1,
        verification({ observation: anObservation({ outputTail }) }),
      )
      const tail = turn.verifications[0]?.observation?.outputTail ?? ''
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(2048)
      expect(tail).toMatch(/^é+postgres:/)
      expect(tail).not.toContain('hunter2')
      expect(redactions).toBe(1)
    })

    test.each<[string, Partial<Verification>, RegExp]>([
      ['failed, with the word verified', { observation: anObservation({ exitCode: 1 }) }, /exit with 0/],
      ['has no end', { observation: anObservation({ exitCode: null }) }, /exit_code or a signal/],
      [
        'has neither a command nor a report',
        { observation: anObservation({ command: null }) },
        /a command or a report/,
      ],
    ])('an observation that %s is refused', async (_, more, message) => {
      await expect(capture(1, verification(more))).rejects.toThrow(message)
    })
  })
}
