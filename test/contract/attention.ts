import { describe, expect, test } from 'vitest'
import { listAttention } from '../../src/memory/worlds/attention.ts'
import { loadSummary } from '../../src/memory/worlds/session-summary.ts'
import { allPages } from '../faults/harness/pages.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Verification = NonNullable<TurnToSend['verifications']>[number]

const verdict = (
  status: Verification['status'],
  evidence: string | null,
  criterionId = 'AC-004',
): Verification => ({
  criterionId,
  criterionText: `The price ${criterionId} is rounded`,
  status,
  evidence,
})

/** Sessions that need a person, and their outcomes (contract: page.md, "Home" and "Outcomes"). */
export function attentionContract(store: StoreUnderTest): void {
  describe('attention', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = async (turns: readonly TurnToSend[]) => {
      for (const turn of turns) await client().captureTurnState({ createWorld: true, ...turn })
    }
    const turnOf = (worldSlug: string, turnNumber: number, more: Partial<TurnToSend> = {}): TurnToSend =>
      aTurn(turnNumber, { worldSlug, taskId: worldSlug, ...more })
    const turnsOf = (worldSlug: string, count: number, more: (turn: number) => Partial<TurnToSend>) =>
      Array.from({ length: count }, (_, i) => turnOf(worldSlug, i + 1, more(i + 1)))

    const blocked = (worldSlug: string) =>
      turnsOf(worldSlug, 7, (turn) => ({
        gates: { independent_tests: turn > 1 ? 'failed' : 'passed' },
        issues: [{ severity: 'blocking', category: 'work', description: `Complaint ${'abcdefg'[turn - 1]}` }],
        verifications:
          turn === 2 ? [verdict('verified', 'I ran the tests')] : [verdict('pending', null, 'AC-005')],
      }))
    const approved = { coachDecision: 'approved' } as const

    test('each reason has its sentence, and the list is ranked', async () => {
      await client().declareCriteria({
        featureId: FEATURE,
        taskId: 'gaps',
        criteria: ['AC-1', 'AC-2', 'AC-3'].map((criterionId) => ({
          criterionId,
          text: `The total ${criterionId} is right`,
        })),
      })
      await capture([
        ...turnsOf('stale', 2, (turn) => ({
          filesModified: ['src/price.ts'],
          promises: [
            {
              criterionId: 'AC-004',
              criterionText: 'It is rounded',
              status: 'complete',
              implementationFiles: ['src/price.ts'],
            },
          ],
          verifications:
            turn === 1 ? [{ ...verdict('verified', 'I ran the tests'), criterionText: 'It is rounded' }] : [],
          ...(turn === 2 && approved),
        })),
        turnOf('words', 1, {
          ...approved,
          promises: [
            {
              criterionId: 'AC-004',
              criterionText: 'It is rounded',
              status: 'complete',
              evidence: 'All tests pass',
            },
          ],
          verifications: [{ ...verdict('verified', 'All tests pass'), criterionText: 'It is rounded' }],
        }),
        ...turnsOf('refuted', 5, (turn) => ({
          filesSource: 'git',
          ...(turn === 1 && { verifications: [verdict('verified', 'I ran the tests')] }),
          ...(turn === 5 && { verifications: [verdict('rejected', 'The till shows 0.1')], ...approved }),
        })),
        turnOf('gaps', 1, { ...approved, verifications: [verdict('verified', 'I ran it', 'AC-1')] }),
        ...blocked('blocked'),
        turnOf('fine', 1, { ...approved, verifications: [verdict('verified', 'I ran the tests')] }),
      ])
      const { items, nextCursor } = await client().listAttention({})
      expect(nextCursor).toBeNull()
      expect(
        items.map(({ worldSlug, reason, outcome, sentence }) => [worldSlug, reason, outcome, sentence]),
      ).toEqual([
        [
          'blocked',
          'stalled',
          'blocked by independent_tests',
          'Turn 7 of blocked: the gate `independent_tests` failed in 6 turns; nothing was gained since turn 2.',
        ],
        [
          'gaps',
          'approved_with_gaps',
          'approved with gaps',
          'Approved, but 2 of 3 declared criteria were never judged.',
        ],
        [
          'refuted',
          'refuted',
          'regressed',
          'AC-004 was verified in turn 1 and rejected with evidence in turn 5; no file changed in between.',
        ],
        ['words', 'only_players_words', 'approved', "1 of 1 proof repeats the Player's promise."],
        ['stale', 'stale', 'approved', '1 proof is older than the files it names.'],
      ])
      expect(await allPages((cursor) => client().listAttention({ limit: 2, cursor }))).toEqual(items)
      const listed = (await client().listWorlds({})).items.map(({ worldSlug, outcome }) => [
        worldSlug,
        outcome,
      ])
      expect(Object.fromEntries(listed)).toEqual({
        ...Object.fromEntries(items.map(({ worldSlug, outcome }) => [worldSlug, outcome])),
        fine: 'approved',
      })
    })

    test('a session whose task was approved later is superseded and not listed', async () => {
      await capture(blocked('first').map((turn) => ({ ...turn, taskId: TASK })))
      const outcome = async () => (await client().getWorld({ worldSlug: 'first' })).outcome
      expect(await outcome()).toBe('blocked by independent_tests')
      const again = { worldSlug: 'second', taskId: TASK, completedAt: '2026-01-02T00:00:00Z' }
      await capture([turnOf('second', 1, again)])
      expect(await outcome()).toBe('blocked by independent_tests')
      expect(
        (await client().listAttention({})).items.map(({ worldSlug, reason }) => [worldSlug, reason]),
        'only the newer session needs a person',
      ).toEqual([['second', 'abandoned']])
      const proof = { verifications: [verdict('verified', 'I ran the tests')] }
      await capture([
        turnOf('second', 2, { ...again, ...approved, ...proof, completedAt: '2026-01-02T00:01:00Z' }),
      ])
      expect(await outcome()).toBe('superseded by second')
      expect((await client().listAttention({})).items).toEqual([])
    })

    test('a session without activity is abandoned after a day', async () => {
      await capture([turnOf('w', 1)])
      const at = async (now: string) =>
        (await loadSummary(handles.graph, PROJECT, 'w', new Date(now))).outcome
      expect(await at('2026-01-01T10:00:00Z')).toBe('running')
      expect(await at('2026-01-03T00:00:00Z')).toBe('abandoned')
    })

    test('an abandoned session that was sent back needs a person until its task has a newer session', async () => {
      await capture(
        turnsOf('w', 3, (turn) => ({
          issues: [{ severity: 'blocking', category: 'work', description: `Complaint ${'abc'[turn - 1]}` }],
        })),
      )
      const at = async (now: string) =>
        (await listAttention(handles.graph, [PROJECT], new Date(now))).map(
          ({ reason, outcome, sentence }) => [reason, outcome, sentence],
        )
      expect((await at('2026-01-01T10:00:00Z')).map(([reason]) => reason)).toEqual(['stalled'])
      const abandoned = [
        'abandoned',
        'abandoned',
        'Turn 3 of w was sent back, and nobody has continued for a day; no criterion was ever verified.',
      ]
      expect(await at('2026-01-03T00:00:00Z')).toEqual([abandoned])
      const again = { worldSlug: 'again', taskId: 'w', completedAt: '2026-01-02T12:00:00Z' }
      await capture([turnOf('again', 1, { ...again, coachDecision: 'rejected' })])
      expect(await at('2026-01-03T00:00:00Z')).toEqual([])
      expect(await at('2026-01-05T00:00:00Z')).toEqual([
        [
          'abandoned',
          'abandoned',
          'Turn 1 of w was rejected, and nobody has continued for a day; no criterion was ever verified.',
        ],
      ])
    })

    test('a summary says that a session ended only after a day without activity, or if its task has a newer one', async () => {
      const reversed = (worldSlug: string) =>
        turnsOf(worldSlug, 2, (turn) => ({
          taskId: TASK,
          verifications: [verdict(turn === 1 ? 'verified' : 'rejected', 'The till shows 0.1')],
        }))
      await capture(reversed('w'))
      const at = async (now: string) => {
        const { outcome, summary } = await loadSummary(handles.graph, PROJECT, 'w', new Date(now))
        return [outcome, summary.replace(/: .*/, '')]
      }
      const ended = ['regressed', 'Ended without approval after 2 turns']
      expect(await at('2026-01-01T10:00:00Z')).toEqual(['regressed', 'Not approved after 2 turns'])
      expect(await at('2026-01-03T00:00:00Z')).toEqual(ended)
      await capture([turnOf('again', 1, { taskId: TASK, completedAt: '2026-01-01T09:00:00Z' })])
      expect(await at('2026-01-01T10:00:00Z')).toEqual(ended)
    })

    test('a summary quotes the evidence of a rejection if the Coach wrote nothing more', async () => {
      const summaryAfter = async (...turns: TurnToSend[]) => {
        await capture(turns)
        return (await client().getSessionSummary({ worldSlug: 'w' })).summary.replace(/\. .*/, '')
      }
      const rejected = (evidence: string) => ({ verifications: [verdict('rejected', evidence)] })
      expect(await summaryAfter(turnOf('w', 1, rejected('The till shows 0.1')))).toBe(
        'Ended without approval after 1 turn: the Coach last wrote "The till shows 0.1"; turn 1 rejected AC-004',
      )
      expect(await summaryAfter(turnOf('w', 2, rejected('Promise status: partial')))).toBe(
        'Ended without approval after 2 turns: the Coach gave no reason; turn 2 rejected AC-004',
      )
    })

    test('a summary names the number of recorded turns and the number of the newest turn if they differ', async () => {
      await capture([turnOf('w', 2), turnOf('w', 3)])
      expect((await client().getSessionSummary({ worldSlug: 'w' })).summary).toMatch(
        /^Ended without approval after 2 recorded turns \(the newest is turn 3\): /,
      )
    })

    test('whether a file changed is said only of turns that say which files they changed', async () => {
      const reversed = (worldSlug: string, more: Partial<TurnToSend>) =>
        turnsOf(worldSlug, 2, (turn) => ({
          playerSummary: 'Rewrote the till',
          playerDecision: 'implemented',
          verifications: [verdict(turn === 1 ? 'verified' : 'rejected', 'The till shows 0.1')],
          ...more,
        }))
      await capture([...reversed('unknown', {}), ...reversed('unchanged', { filesSource: 'git' })])
      const sentences = (await client().listAttention({})).items.map(({ worldSlug, sentence }) => [
        worldSlug,
        sentence,
      ])
      const start = 'AC-004 was verified in turn 1 and rejected with evidence in turn 2'
      expect(Object.fromEntries(sentences)).toEqual({
        unknown: `${start}.`,
        unchanged: `${start}; no file changed in between.`,
      })
      const summaryOf = async (worldSlug: string) => {
        const { summary, reversals } = await client().getSessionSummary({ worldSlug })
        return [
          /One verdict was reversed[^;]*/.exec(summary)?.[0],
          reversals.map(({ changedFiles }) => changedFiles),
        ]
      }
      expect(await summaryOf('unknown')).toEqual(['One verdict was reversed', [null]])
      expect(await summaryOf('unchanged')).toEqual(['One verdict was reversed although no file changed', [0]])
    })

    test('the list has no session of a project that was not asked for', async () => {
      await capture([...blocked('here'), ...blocked('there').map((turn) => ({ ...turn, project: 'other' }))])
      const slugs = async (project?: string) =>
        (await client().listAttention({ project })).items.map(({ worldSlug }) => worldSlug)
      expect(await slugs()).toEqual(['here'])
      expect(await slugs('other')).toEqual(['there'])
      expect(await listAttention(handles.graph, ['other', PROJECT], new Date())).toHaveLength(2)
    })

    test('a session without a turn has a summary, and an unknown or deleted one is an error', async () => {
      await client().createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'w' })
      expect(await client().getSessionSummary({ worldSlug: 'w' })).toMatchObject({
        turn: 0,
        summary: 'No turn has been recorded yet.',
      })
      await expect(client().getSessionSummary({ worldSlug: 'x' })).rejects.toMatchObject({
        code: 'unknown_world',
      })
      await client().deleteWorld({ worldSlug: 'w' })
      await expect(client().getSessionSummary({ worldSlug: 'w' })).rejects.toMatchObject({
        code: 'world_deleted',
      })
    })

    test('a summary names the cause, and the verdicts that were reversed without a change of a file', async () => {
      const denial = (file: string) => ({
        severity: 'should_fix' as const,
        category: 'honesty',
        description: `Player claim: Player claimed file ${file}. Actual: Path is tracked in git but 'git status --porcelain' shows no change for it`,
      })
      await capture(
        turnsOf('w', 3, (turn) => ({
          filesModified: ['src/a.ts'],
          issues: [
            {
              severity: 'blocking',
              category: 'test',
              description: 'Independent tests: signal_absent = true',
            },
            ...(turn === 1 ? [] : [denial('src/a.ts')]),
          ],
          verifications: [
            turn === 2
              ? verdict('rejected', 'Cannot verify without independent tests')
              : verdict('verified', 'Seen in the code'),
          ],
        })),
      )
      expect((await client().getSessionSummary({ worldSlug: 'w' })).summary).toBe(
        'Ended without approval after 3 turns: the independent test run gave no signal in every turn. One verdict was reversed although no file changed; no criterion was disproved.',
      )
      expect((await client().getSessionSummary({ worldSlug: 'w' })).reversals).toEqual([
        { key: expect.any(String), criterionId: 'AC-004', verifiedIn: 1, rejectedIn: 2, changedFiles: 0 },
      ])
      await capture([
        turnOf('w', 4, {
          verifications: [verdict('rejected', 'The till shows 0.1')],
          filesModified: ['src/b.ts'],
        }),
      ])
      expect((await client().getSessionSummary({ worldSlug: 'w' })).summary).toMatch(
        /^Ended without approval after 4 turns: .*\. Two verdicts on one criterion were reversed, one of them although no file changed; 1 criterion was rejected with evidence\.$/,
      )
    })
  })
}
