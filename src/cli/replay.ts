/** `turngraph replay`: shows what the memory would have changed in recorded sessions. */
import { POLICIES } from '../rules/criterion-states.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import type { ReplayedSession, ReplayTotals } from '../rules/replay.ts'
import { DETECTORS, RULE_MEANINGS } from '../rules/replay-rules.ts'
import { action, SHARED } from './command.ts'
import { printJson, printList, printNote, printText } from './output.ts'

export const addReplay = action(
  {
    name: 'replay',
    description: 'show what the memory would have changed in recorded sessions',
    options: {
      featureId: ['--feature <id>', 'only of this feature'],
      taskId: ['--task <id>', 'only of this task'],
      policy: ['--policy <policy>', 'what counts as verified (default: each policy)', { choices: POLICIES }],
      stall: [
        '--stall <detector>',
        'what ends a session: the advice to stop, or a verdict of stall analysis (default: should_stop)',
        { choices: DETECTORS },
      ],
      ...SHARED,
    },
    help: `Each counted turn is listed with the rule that counts it:
${Object.entries(RULE_MEANINGS)
  .map(([rule, meaning]) => `  ${rule.padEnd(17)} ${meaning}`)
  .join('\n')}

Example:
  turngraph replay --policy sticky`,
  },
  async ({ project, json = false, ...filter }) => {
    const { withClient } = await import('./connect.ts')
    const { readPages } = await import('./require-project.ts')
    const { describeReplay, sumReplays } = await import('../rules/replay-sums.ts')
    const tooLong: string[] = []
    const { items } = await withClient({ project, readsOnly: true }, (client) =>
      readPages({}, async ({ cursor }) => {
        const page = await client.replaySessions({ ...filter, limit: SESSIONS_PER_PAGE, cursor })
        tooLong.push(...page.tooLong)
        return page
      }),
    )
    const totals = sumReplays(items, filter.policy === undefined ? POLICIES : [filter.policy])
    const sentence = totals[0] === undefined ? '' : describeReplay(totals[0])
    if (json) {
      const { inWireForm } = await import('./ask-in-wire-form.ts')
      return printJson(inWireForm('replaySessions', { items, totals, sentence, tooLong, nextCursor: null }))
    }
    await printTotals(totals)
    await printCounted(items)
    if (tooLong.length > 0) printNote(`Too long to be replayed: ${tooLong.map(toOneLine).join(', ')}.`)
    printText(sentence)
  },
)

/** So many that a call takes seconds. */
const SESSIONS_PER_PAGE = 50

const printTotals = (totals: readonly ReplayTotals[]): Promise<void> =>
  printList(totals, null, {
    policy: 'policy',
    sessions: 'sessions',
    turns: 'turns',
    repeated: 'repeated',
    'after all proven': 'afterAllProven',
    'judged again': 'judgedAgain',
    stops: 'stops',
    'right stops': 'rightStops',
    'turns saved': 'turnsSaved',
    'turns lost': 'turnsLost',
  })

type Counted = ReplayedSession['policies'][number]['counted'][number]

/** Prints one line for each counted turn and rule, with the policies that count it in the same way. */
async function printCounted(sessions: readonly ReplayedSession[]): Promise<void> {
  const { describeCounted } = await import('../rules/replay-sums.ts')
  const lines = new Map<string, { world: string; counted: Counted; policies: string[] }>()
  for (const { worldSlug, policies } of sessions) {
    for (const { policy, counted } of policies) {
      for (const each of counted) {
        const key = JSON.stringify([worldSlug, each])
        const line = lines.get(key) ?? { world: worldSlug, counted: each, policies: [] }
        line.policies.push(policy)
        lines.set(key, line)
      }
    }
  }
  await printList([...lines.values()], 'No turn is counted.', {
    session: ({ world }) => toOneLine(world),
    turn: ({ counted }) => counted.turn,
    rule: ({ counted }) => counted.rule,
    why: ({ counted }) => describeCounted(counted),
    policies: ({ policies }) => policies.join(', '),
  })
}
