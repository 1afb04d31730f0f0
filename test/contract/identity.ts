import { describe, expect, test } from 'vitest'
import { ObservedGraph } from '../../src/graph/observed.ts'
import { brokenCounts } from '../support/graph-dump.ts'
import { aContext, aTurn, clientOf, FEATURE, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Named = [id: string, text?: string]
const verified = (...entries: Named[]): Partial<TurnToSend> => ({
  verifications: entries.map(([criterionId, criterionText]) => ({
    criterionId,
    criterionText,
    status: 'verified',
  })),
})
const rejectedBy = (source: 'coach' | 'validator', ...entries: Named[]): Partial<TurnToSend> => ({
  verifications: entries.map(([criterionId, criterionText]) => ({
    criterionId,
    criterionText,
    source,
    status: 'rejected',
  })),
})
const promised = (...entries: Named[]): Partial<TurnToSend> => ({
  promises: entries.map(([criterionId, criterionText]) => ({
    criterionId,
    criterionText,
    status: 'complete',
  })),
})

const answers = 'It answers with 404 for an unknown page'
const logs = 'Every request is written to the log'
const docs = 'The README explains how to start it'

/** The criterion of an entry, resolved through the store (criteria.md, "Identity"). */
export function identityContract(store: StoreUnderTest): void {
  describe('criterion identity', () => {
    const handles = useGraph(store)
    const capture = async (...turns: Partial<TurnToSend>[]) => {
      for (const [i, turn] of turns.entries())
        await clientOf(handles.graph).captureTurnState(aTurn(i + 1, turn))
    }
    /** The criteria after all turns, each as `label state text`. */
    const shown = async (worldSlug?: string) => {
      const { criteria } = await clientOf(handles.graph).loadTurnContinuationContext(
        aContext(100, { role: 'coach', worldSlug }),
      )
      return criteria
    }
    const lines = async (worldSlug?: string) =>
      (await shown(worldSlug)).map((c) => `${c.criterionId} ${c.state} ${c.text ?? '-'}`)

    test('a label in Cyrillic that looks like a declared one is that one, and capture and declaration warn of it', async () => {
      const client = clientOf(handles.graph)
      const task = { featureId: FEATURE, taskId: TASK }
      const texts = ['It answers with 404', 'It keeps a log']
      const declared = texts.map((text, i) => ({ criterionId: ['AC-1', '\u0410\u0421-2'][i], text }))
      const { warnings = [] } = await client.declareCriteria({ ...task, criteria: declared })
      expect(warnings.join()).toContain('looks like "AC-2"')
      const captured = await client.captureTurnState(
        aTurn(1, {
          verifications: [
            { criterionId: '\u0410\u0421-1', status: 'verified' },
            { criterionId: 'AC-2', status: 'verified' },
          ],
        }),
      )
      expect(captured.warnings?.join()).toContain('U+0410, U+0421')
      const { verified, total } = await client.listCriteria({ worldSlug: TASK })
      expect([verified, total]).toEqual([2, 2])
      expect((await client.captureTurnState(aTurn(2))).warnings).toBeUndefined()
    })

    test('1: equal words are one criterion, regardless of punctuation', async () => {
      await capture(
        verified(['AC-001', `- [ ] **${answers}**.`]),
        verified(['AC-007', `1) \`${answers.toUpperCase()}\``]),
        rejectedBy('validator', ['AC-003', `* [x] ${answers};`]),
      )
      const [only, ...others] = await shown()
      expect(others).toEqual([])
      expect(only).toMatchObject({ criterionId: 'AC-003', state: 'verified', contested: { turn: 3 } })
      expect(only?.aliases).toEqual([
        { label: 'AC-001', source: 'coach' },
        { label: 'AC-003', source: 'validator' },
        { label: 'AC-007', source: 'coach' },
      ])
    })

    test("1: a check mark or a heading's mark in front of a label leaves the words equal", async () => {
      await capture({
        ...promised(['AC-001', answers], ['AC-002', logs]),
        ...verified(['AC-SEED-03', `✅ AC-SEED-03: ${answers}`], ['AC-SEED-04', `### AC-SEED-04: ${logs}`]),
      })
      expect(await lines()).toEqual([`AC-SEED-03 verified ${answers}`, `AC-SEED-04 verified ${logs}`])
    })

    test("1: an entry's own label at the start of its text is no word, also without a separator", async () => {
      await capture(
        { ...promised(['AC-001', answers]), ...verified(['AC-SEED-03', `AC-SEED-03 ${answers}`]) },
        verified(['AC-SEED-03', `- AC-SEED-03 ${answers}`], ['AC-2', `AC-002 ${logs}`]),
        verified(['US-1', 'US-1 is shown in the list'], ['US-2', 'US-2 is shown in the list']),
        verified(['AC-4', `AC-SEED-03 ${answers}`]),
      )
      expect(await lines()).toEqual([
        `AC-2 verified ${logs}`,
        `AC-4 verified AC-SEED-03 ${answers}`,
        `AC-SEED-03 verified ${answers}`,
        'US-1 verified US-1 is shown in the list',
        'US-2 verified US-2 is shown in the list',
      ])
    })

    test('2: a wording that begins with the other is the same, from four words on', async () => {
      await capture(verified(['AC-001', 'It answers with 404'], ['AC-002', 'Every request logged']))
      await clientOf(handles.graph).captureTurnState(
        aTurn(2, rejectedBy('coach', ['AC-001', answers], ['AC-009', 'Every request logged to a file'])),
      )
      expect(await lines()).toEqual([
        `AC-001 verified ${answers}`,
        'AC-002 verified Every request logged',
        'AC-009 rejected Every request logged to a file',
      ])
    })

    test('2: a new wording of a known criterion is stored', async () => {
      await capture(verified(['AC-001', 'It answers with 404']), verified(['AC-001', answers]))
      expect(await lines()).toEqual([`AC-001 verified ${answers}`])
    })

    test('2: if several criteria begin with the text, the one with the same label is chosen', async () => {
      await capture(
        verified(['AC-001', 'The page shows a list of users'], ['AC-002', 'The page shows a list of shops']),
        rejectedBy('coach', ['AC-002', 'The page shows a list']),
      )
      expect((await shown()).map((c) => [c.criterionId, c.contested?.turn ?? null])).toEqual([
        ['AC-001', null],
        ['AC-002', 2],
      ])
    })

    test('3: with the same label, six tenths of the words of the shorter text are enough; with another label they are not', async () => {
      await capture(
        verified(['AC-001', 'alpha beta gamma delta epsilon']),
        rejectedBy('coach', ['AC-01', 'alpha beta gamma zeta eta']),
        rejectedBy('coach', ['AC-002', 'alpha beta gamma theta iota']),
        rejectedBy('coach', ['AC-001', 'alpha beta kappa lambda my']),
      )
      const states = (await shown()).map(
        (c) => `${c.criterionId} ${c.state}${c.contested ? `!${c.contested.turn}` : ''}`,
      )
      expect(states).toEqual(['AC-001 rejected', 'AC-01 verified!2', 'AC-002 rejected'])
    })

    test('4: any other text is a new criterion', async () => {
      await capture(verified(['AC-001', answers]), verified(['AC-001', logs]), verified(['AC-001', docs]))
      expect(await shown()).toHaveLength(3)
    })

    test('4: texts that begin with different names of regions are two criteria', async () => {
      await capture(
        verified(
          ['AC-001', 'us-east-1: the bucket is encrypted'],
          ['AC-002', 'us-west-2: the bucket is encrypted'],
        ),
      )
      expect(await lines()).toEqual([
        'AC-001 verified us-east-1: the bucket is encrypted',
        'AC-002 verified us-west-2: the bucket is encrypted',
      ])
    })

    test('each criterion is used once in a list, equal wordings first', async () => {
      await capture(
        verified(['AC-001', 'The page shows a list of users']),
        rejectedBy(
          'coach',
          ['AC-001', 'The page shows a list'],
          ['AC-002', 'The page shows a list of users'],
        ),
      )
      expect(
        (await shown()).map((c) => `${c.criterionId} ${c.state} ${c.contested?.turn ?? ''} ${c.text}`),
      ).toEqual([
        'AC-001 rejected  The page shows a list',
        'AC-002 verified 2 The page shows a list of users',
      ])
    })

    test('labels are shown as given; AC-1, AC-01 and AC-001 are one label', async () => {
      await capture(
        verified(['AC-1']),
        rejectedBy('coach', ['AC-01']),
        verified(['AC-LOAD-01'], ['criterion_1']),
      )
      const criteria = await shown()
      expect(criteria.map(({ criterionId }) => criterionId)).toEqual(['AC-01', 'AC-LOAD-01', 'criterion_1'])
      expect(criteria[0]).toMatchObject({
        contested: { turn: 2 },
        aliases: [
          { label: 'AC-01', source: 'coach' },
          { label: 'AC-1', source: 'coach' },
        ],
      })
    })

    test('ids that shift between the Player and the Coach do not move a verification', async () => {
      await capture(
        {
          ...promised(['AC-001', answers], ['AC-002', logs]),
          ...verified(['AC-000', answers], ['AC-001', logs]),
        },
        { ...promised(['AC-001', answers], ['AC-002', logs]), ...rejectedBy('coach', ['AC-001', logs]) },
      )
      expect((await shown()).map((c) => [c.criterionId, c.text, c.contested?.turn ?? null])).toEqual([
        ['AC-000', answers, null],
        ['AC-001', logs, 2],
      ])
    })

    test('ids that shift between turns do not move a verification', async () => {
      await capture(
        verified(['AC-001', answers], ['AC-002', logs], ['AC-003', docs]),
        rejectedBy('coach', ['AC-001', logs], ['AC-002', docs]),
      )
      expect((await shown()).map((c) => [c.criterionId, c.text, c.contested?.turn ?? null])).toEqual([
        ['AC-001', logs, 2],
        ['AC-001', answers, null],
        ['AC-002', docs, 2],
      ])
    })

    describe('an entry with an id only', () => {
      test('is the criterion that the same source last gave that id in this world', async () => {
        await capture(
          verified(['AC-001', answers], ['AC-002', logs]),
          rejectedBy('coach', ['AC-002']),
          verified(['AC-002', docs]),
          rejectedBy('coach', ['AC-002']),
        )
        expect((await shown()).map((c) => [c.text, c.contested?.turn ?? null])).toEqual([
          [answers, null],
          [logs, 2],
          [docs, 4],
        ])
      })

      test('is the one that the current record gave that id, not the superseded record', async () => {
        for (let i = 1; i <= 8; i++) {
          // The order of two labels depends on the engine and their keys: hence several worlds and wordings.
          const worldSlug = `w${i}`
          const [old, stands] = [`old${i} gone${i} past${i}`, `new${i} here${i} now${i}`]
          const client = clientOf(handles.graph)
          await client.captureTurnState(aTurn(1, { worldSlug, ...verified(['AC-001', old]) }))
          const instead = { worldSlug, onConflict: 'supersede' as const, ...verified(['AC-001', stands]) }
          await client.captureTurnState(aTurn(1, instead))
          await client.captureTurnState(aTurn(2, { worldSlug, ...rejectedBy('coach', ['AC-001']) }))
          expect((await shown(worldSlug)).map((c) => [c.text, c.contested?.turn ?? null])).toEqual([
            [stands, 2],
          ])
        }
      })

      test('is not the criterion of a superseded record', async () => {
        await capture(verified(['AC-001', answers]))
        const instead = { onConflict: 'supersede' as const, ...verified(['AC-002', logs]) }
        await clientOf(handles.graph).captureTurnState(aTurn(1, instead))
        await clientOf(handles.graph).captureTurnState(aTurn(2, rejectedBy('coach', ['AC-001'])))
        expect(await lines()).toEqual([`AC-002 verified ${logs}`, 'AC-001 rejected -'])
      })

      test('in a late turn, is the criterion that the id meant before that turn', async () => {
        await capture(verified(['AC-001', answers]))
        for (const [turn, more] of [
          [5, verified(['AC-001', logs])],
          [9, verified(['AC-001', answers])],
          [3, rejectedBy('coach', ['AC-001'])],
        ] as const) {
          await clientOf(handles.graph).captureTurnState(aTurn(turn, more))
        }
        await clientOf(handles.graph).captureTurnState(aTurn(6, rejectedBy('coach', ['AC-001'])))
        const asOf = async (turn: number) => {
          const { criteria } = await clientOf(handles.graph).loadTurnContinuationContext(
            aContext(turn, { role: 'coach' }),
          )
          return criteria.map((c) => [c.text, c.contested?.turn ?? null])
        }
        expect(await asOf(4)).toEqual([[answers, 3]])
        expect(await asOf(7)).toEqual([
          [logs, 6],
          [answers, 3],
        ])
      })

      test('is not the criterion that another source gave that id', async () => {
        await capture(verified(['AC-001', answers]), rejectedBy('validator', ['AC-001']))
        expect(await lines()).toEqual([`AC-001 verified ${answers}`, 'AC-001 rejected -'])
      })

      test('is not the criterion that the id meant in another world of the task', async () => {
        await capture({ ...verified(['AC-001', answers]), worldSlug: 'w1' })
        await clientOf(handles.graph).captureTurnState(
          aTurn(1, { ...rejectedBy('coach', ['AC-001']), worldSlug: 'w2' }),
        )
        expect(await lines('w1')).toEqual([`AC-001 verified ${answers}`])
        expect(await lines('w2')).toEqual(['AC-001 rejected -'])
      })

      test("is the Player's criterion of that id if both lists of the turn name the same ids", async () => {
        await capture({ ...promised(['AC-1', answers], ['AC-2', logs]), ...verified(['AC-001'], ['AC-002']) })
        expect(await lines()).toEqual([`AC-001 verified ${answers}`, `AC-002 verified ${logs}`])
      })

      test('that is a promise is the criterion that a judge gives that id with a text, in that turn or before', async () => {
        await capture(
          { ...promised(['AC-001']), ...verified(['ac-1', answers]) },
          promised(['AC-1']),
          rejectedBy('coach', ['AC-001', answers]),
        )
        expect((await shown()).map((c) => [c.text, c.promise?.turn, c.contested?.turn])).toEqual([
          [answers, 2, 3],
        ])
        const context = await clientOf(handles.graph).loadTurnContinuationContext(
          aContext(4, { role: 'coach' }),
        )
        expect(context.promisedNotJudged).toEqual([])
      })

      test('that is a promise is a criterion that another session named with a text, if a judge gives it that text again', async () => {
        await capture({ ...verified(['AC-007', answers]), worldSlug: 'w1' })
        const again = { ...promised(['AC-001']), ...verified(['AC-001', answers]), worldSlug: 'w2' }
        await capture(again)
        expect(await lines('w2')).toEqual([`AC-001 verified ${answers}`])
      })

      test('is the criterion that a promise of this world gave that id with a text', async () => {
        await capture({ ...promised(['AC-001', answers], ['AC-002', logs]), ...verified(['AC-001']) })
        expect(await lines()).toEqual([`AC-001 verified ${answers}`])
      })

      test('that is a text is the criterion with that text', async () => {
        await capture(
          { ...promised(['AC-001', answers]), acceptanceCriteriaStatus: { [`${answers}.`]: 'verified' } },
          rejectedBy('coach', [answers]),
        )
        expect((await shown()).map((c) => [c.text, c.verifiedInTurn, c.contested?.turn])).toEqual([
          [answers, 1, 2],
        ])
        const { context } = await clientOf(handles.graph).loadTurnContinuationContext(aContext(3))
        expect(context).toContain(`  ⚠ ${answers}: verified (turn 1, contested in turn 2)\n`)
      })

      test('is the criterion whose promise begins with that id', async () => {
        await capture(
          promised(['AC-001', `AC-SEED-01** — ${answers}`], ['AC-002', `AC-SEED-02: ${logs}`]),
          verified(['AC-SEED-02']),
          rejectedBy('coach', ['AC-SEED-01', answers]),
        )
        expect(await shown()).toMatchObject([
          {
            criterionId: 'AC-SEED-01',
            text: answers,
            state: 'rejected',
            aliases: [
              { label: 'AC-001', source: 'player' },
              { label: 'AC-SEED-01', source: 'coach' },
              { label: 'AC-SEED-01', source: 'player' },
            ],
          },
          { criterionId: 'AC-SEED-02', text: logs, state: 'verified' },
        ])
      })

      test("is separate if the judges' evidence shows that they number the criteria differently", async () => {
        await capture({
          ...promised(
            ['AC-1', 'The map `retry_map` is complete'],
            ['AC-2', logs],
            ['AC-3', '`delay_for` is pure'],
          ),
          verifications: [{ criterionId: 'AC-2', status: 'rejected', evidence: 'delay_for() writes a file' }],
        })
        expect(await lines()).toEqual(['AC-2 rejected -'])
      })

      test("is the Player's criterion of the newest earlier turn", async () => {
        await capture(
          { ...promised(['AC-001', answers]), ...rejectedBy('validator', ['AC-001', answers]) },
          verified(['AC-001']),
        )
        expect(await lines()).toEqual([`AC-001 verified ${answers}`])
      })

      test('is the last criterion in the list that the Player promised with that id', async () => {
        for (let i = 1; i <= 8; i++) {
          // The order of two promises depends on the engine: hence several worlds.
          const worldSlug = `w${i}`
          const [first, last] = [`old${i} gone${i} past${i}`, `new${i} here${i} now${i}`]
          await capture({
            worldSlug,
            ...promised(['AC-1', first], ['AC-001', last]),
            ...rejectedBy('validator', ['AC-001', last]),
          })
          // Another process has no cache of this one.
          const another = clientOf(new ObservedGraph(handles.graph, () => {}))
          await another.captureTurnState(aTurn(2, { worldSlug, ...verified(['AC-001']) }))
          expect((await shown(worldSlug)).map((c) => [c.text, c.verifiedInTurn])).toEqual([[last, 2]])
        }
      })

      test("is the Player's criterion of any earlier turn of this world", async () => {
        await capture(
          { ...promised(['AC-001', answers]), ...rejectedBy('validator', ['AC-001', answers]) },
          { ...promised(['AC-002', logs]), ...rejectedBy('validator', ['AC-002', logs]) },
          verified(['AC-001'], ['AC-002']),
        )
        expect(await lines()).toEqual([`AC-001 verified ${answers}`, `AC-002 verified ${logs}`])
      })

      test('is a criterion known only by that label, in this world', async () => {
        await capture(verified(['AC-001']), rejectedBy('validator', ['AC-1']), rejectedBy('coach', ['AC-01']))
        const criteria = await shown()
        expect(criteria).toHaveLength(1)
        expect(criteria[0]).toMatchObject({ text: null, contested: { turn: 3 } })
      })
    })

    describe("the Player's text completes a criterion known only by its label", () => {
      test('if both lists name the same ids', async () => {
        await capture(
          rejectedBy('coach', ['AC-001']),
          { ...promised(['AC-001', answers]), ...verified(['AC-001']) },
          rejectedBy('coach', ['AC-001']),
        )
        const criteria = await shown()
        expect(criteria).toMatchObject([
          {
            criterionId: 'AC-001',
            text: answers,
            state: 'verified',
            verifiedInTurn: 2,
            contested: { turn: 3 },
          },
        ])
        expect(criteria[0]?.history?.map(({ turn }) => turn)).toEqual([1, 2, 3])
      })

      test('and merges it into an existing criterion of that text', async () => {
        await clientOf(handles.graph).captureTurnState(
          aTurn(1, { worldSlug: 'w0', ...verified(['X-1', answers]) }),
        )
        await capture(
          { worldSlug: 'w1', ...rejectedBy('coach', ['AC-001']) },
          { worldSlug: 'w1', ...promised(['AC-001', answers]), ...verified(['AC-001']) },
          { worldSlug: 'w1', ...rejectedBy('coach', ['AC-001']) },
        )
        const [merged, ...others] = await shown('w1')
        expect(others).toEqual([])
        expect(merged).toMatchObject({
          text: answers,
          state: 'verified',
          verifiedInTurn: 2,
          contested: { turn: 3 },
        })
        expect(merged?.history?.map(({ turn }) => turn)).toEqual([1, 2, 3])
        const [older] = await shown('w0')
        expect(older?.key).toBe(merged?.key)
        expect(older).toMatchObject({ state: 'verified', verifiedInTurn: 1, contested: null })
      })

      test('and its earlier verdicts are known after that, in a world of many turns', async () => {
        const w1 = { worldSlug: 'w1' }
        const why = 'the page answers with 200'
        const client = clientOf(handles.graph)
        await client.captureTurnState(aTurn(1, { worldSlug: 'w0', ...verified(['X-1', answers]) }))
        for (const number of [1, ...Array.from({ length: 33 }, (_, i) => i + 3)])
          await client.captureTurnState(aTurn(number, { ...w1, ...verified(['AC-001']) }))
        const lost = { criterionId: 'AC-001', status: 'rejected' as const, evidence: why }
        await client.captureTurnState(aTurn(36, { ...w1, verifications: [lost] }))
        await client.captureTurnState(
          aTurn(2, { ...w1, ...promised(['AC-001', answers]), ...verified(['AC-001']) }),
        )
        const { lost: found } = await client.explainTurn({ featureId: FEATURE, taskId: TASK, ...w1 })
        expect(found).toMatchObject([{ text: answers, evidence: why }])
      })

      test('also if the Player promises further ids', async () => {
        await capture(rejectedBy('coach', ['AC-001']), {
          ...promised(['AC-001', answers], ['AC-002', logs]),
          ...verified(['AC-001']),
        })
        expect(await lines()).toEqual([`AC-001 verified ${answers}`])
      })
    })

    test('a criterion of the task is the same in each of its worlds; its state is not', async () => {
      await capture({ worldSlug: 'w1', ...verified(['AC-001', answers]) })
      await clientOf(handles.graph).captureTurnState(
        aTurn(1, { worldSlug: 'w2', ...rejectedBy('coach', ['AC-004', `${answers}.`]) }),
      )
      const [first] = await shown('w1')
      const [second] = await shown('w2')
      expect(first?.key).toBe(second?.key)
      expect([first, second]).toMatchObject([
        { criterionId: 'AC-001', state: 'verified' },
        { criterionId: 'AC-004', state: 'rejected' },
      ])
    })

    test('ids in an issue find criteria and never create one', async () => {
      await capture({
        ...verified(['AC-001', answers]),
        issues: [{ severity: 'minor', description: 'x', criterionIds: ['AC-1', 'AC-404', 'AC-01'] }],
      })
      expect(await lines()).toEqual([`AC-001 verified ${answers}`])
    })

    test("the label shown is the newest judge's as of the turn asked for", async () => {
      await capture(verified(['AC-001', answers]), verified(['AC-005', answers]))
      const at = async (turn: number) => {
        const { criteria } = await clientOf(handles.graph).loadTurnContinuationContext(aContext(turn))
        return criteria[0]?.criterionId
      }
      expect([await at(2), await at(3)]).toEqual(['AC-001', 'AC-005'])
    })

    test("the text shown is the longest one that begins with the judge's, then the judge's, then the Player's", async () => {
      const cut = answers.split(' ').slice(0, 5).join(' ')
      await capture(promised(['AC-001', answers], ['AC-002', logs]))
      expect((await shown()).map(({ text }) => text)).toEqual([answers, logs])
      await clientOf(handles.graph).captureTurnState(
        aTurn(2, verified(['AC-001', cut], ['AC-002', 'Every request is written to a log file'])),
      )
      expect((await shown()).map(({ text }) => text)).toEqual([
        answers,
        'Every request is written to a log file',
      ])
    })

    test("a Player's text neither widens a text that a judge gave before it nor one that is declared", async () => {
      const wider = `${answers}, or redirects as the user agreed`
      await capture(rejectedBy('coach', ['AC-001', answers]), promised(['AC-001', wider]), {
        ...promised(['AC-001', wider]),
        ...rejectedBy('coach', ['AC-001', `${answers}.`]),
      })
      expect(await lines()).toEqual([`AC-001 rejected ${answers}`])
      const client = clientOf(handles.graph)
      const task = { featureId: FEATURE, taskId: 'TASK-2' }
      await client.captureTurnState(aTurn(1, { ...task, ...promised(['AC-001', wider]) }))
      await client.declareCriteria({ ...task, criteria: [{ text: answers }] })
      expect((await client.listCriteria(task)).criteria.map(({ text }) => text)).toEqual([answers])
    })

    test('worlds that name one criterion in parallel create one, with all of its labels', async () => {
      for (const taskId of ['TASK-1', 'TASK-2', 'TASK-3']) {
        const wordings: Named[] = [
          ['AC-1', answers],
          ['AC-2', `- [ ] ${answers}.`],
          ['AC-3', 'It answers with 404'],
        ]
        await Promise.all(
          wordings.map((wording, i) =>
            clientOf(handles.graph).captureTurnState(
              aTurn(1, { taskId, worldSlug: `${taskId}-w${i}`, ...verified(wording) }),
            ),
          ),
        )
        const seen = []
        for (const i of wordings.keys()) {
          const view = await clientOf(handles.graph).loadTurnContinuationContext(
            aContext(2, { taskId, worldSlug: `${taskId}-w${i}` }),
          )
          seen.push(...view.criteria.map(({ key, aliases }) => [key, aliases.map(({ label }) => label)]))
        }
        expect(seen).toEqual(Array(3).fill([seen[0]?.[0], ['AC-1', 'AC-2', 'AC-3']]))
      }
    })

    test.each([
      ['worlds of one task', (i: number) => ({ turnNumber: 1, worldSlug: `session-${i}` })],
      ['turns of one world', (i: number) => ({ turnNumber: i + 1, worldSlug: 'session' })],
    ])('twenty-four %s, captured at once with criteria of their own, are all stored', async (_of, place) => {
      const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.split(' ')
      const captures = Array.from({ length: 24 }, (_, i) => {
        const criterionText = `The ${words[i % 12]} of part ${words[(i + (i < 12 ? 1 : 5)) % 12]} is saved`
        const verifications = [{ criterionId: `AC-${i}`, criterionText, status: 'verified' as const }]
        return aTurn(1, { ...place(i), verifications })
      })
      const stored = await Promise.all(
        captures.map((capture) => clientOf(handles.graph).captureTurnState(capture)),
      )
      expect(stored.every(({ created }) => created)).toBe(true)
      expect(await brokenCounts(handles.graph)).toEqual([])
    })

    test('two worlds that add criteria to one task in parallel lose none', async () => {
      const texts = [
        'the shop opens at nine sharp',
        'the clerk greets every guest',
        'prices are shown with tax',
      ]
      await Promise.all(
        ['w1', 'w2', 'w3', 'w4'].flatMap((worldSlug) =>
          texts.map((text, i) =>
            clientOf(handles.graph).captureTurnState(
              aTurn(i + 1, { worldSlug, ...verified([`AC-${i + 1}`, text]) }),
            ),
          ),
        ),
      )
      for (const worldSlug of ['w1', 'w2', 'w3', 'w4']) {
        expect(await lines(worldSlug)).toEqual(texts.map((text, i) => `AC-${i + 1} verified ${text}`))
      }
    })
  })
}
