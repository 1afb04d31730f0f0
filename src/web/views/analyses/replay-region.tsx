// `/p/{project}/analyses/replay`: what the memory would have changed in recorded sessions.
import type { Policy } from '../../../rules/criterion-states.ts'
import type { CountedTurn, ReplayTotals } from '../../../rules/replay.ts'
import { DETECTORS, REPLAY_RULES, RULE_MEANINGS } from '../../../rules/replay-rules.ts'
import { describeCounted, describeReplay, sumReplays } from '../../../rules/replay-sums.ts'
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Choice, Select } from '../../components/choice.tsx'
import { Cut } from '../../components/cut.tsx'
import { Field } from '../../components/field.tsx'
import { Names } from '../../components/names.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { Table } from '../../components/table.tsx'
import { WordList } from '../../components/word-list.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { usePages } from '../../service/use-service.ts'
import { POLICY_MEANINGS, PolicyChoice } from '../session/as-of.tsx'
import { VERDICT_MEANINGS } from '../session/word-meanings.ts'
import { RowsTable } from './rows-table.tsx'

/** Entry of the replay in the list of analyses. */
export const REPLAY = {
  name: 'replay',
  question: 'What would the memory have changed in recorded sessions?',
  about:
    'turns after everything was proven, turns that judged again what was verified, and sessions that a detector would have ended, under each policy',
} as const

/** Number of sessions that one call replays, so that a call takes seconds. */
const PAGE = 50
/** Number of calls after which the view asks the person before it continues. */
const CALLS_AT_ONCE = 4
const MAX_ROWS = 500

export function ReplayRegion({ project }: { project: string }) {
  const search = useSearch()
  const stall = DETECTORS.find((each) => each === search.get('stall')) ?? 'should_stop'
  const [feature, task] = [search.get('feature'), search.get('task')]
  const filter = { project, stall, feature_id: feature, task_id: task, limit: PAGE }
  const replay = usePages('replaySessions', filter, CALLS_AT_ONCE)
  const sessions = (replay.answer?.items ?? []).map(toReplayed)
  const policies = sessions[0]?.policies.map(({ policy }) => policy) ?? []
  const policy = policies.find((each) => each === search.get('policy')) ?? policies[0]
  const totals = sumReplays(sessions, policies)
  const chosen = totals.find((each) => each.policy === policy)
  return (
    <>
      <Sentence title={REPLAY.question}>
        {chosen === undefined ? describeEmpty(replay.answer !== null) : describeReplay(chosen)}
      </Sentence>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Field
          label="Feature"
          value={feature}
          placeholder="all"
          change={(value) => filterBy({ feature: value })}
        />
        <Field label="Task" value={task} placeholder="all" change={(value) => filterBy({ task: value })} />
        <Select
          label="Sessions end with"
          value={stall}
          change={(value) => filterBy({ stall: value })}
          options={DETECTORS.map((value) => ({ value, text: describeDetector(value) }))}
        />
        <a href={writeAddress({ view: 'analyses', project, analysis: null })}>All analyses</a>
      </form>
      <Answered of={replay}>
        {({ pages }) =>
          chosen !== undefined && (
            <>
              <PolicyChoice policy={chosen.policy} />
              <Totals totals={totals} />
              <Cut more={replay.more}>The first {sessions.length} sessions are replayed.</Cut>
              <TooLong sessions={pages.flatMap(({ too_long }) => too_long)} />
              <CountedTurns project={project} counted={listCounted(sessions, chosen.policy)} />
              <WordList meanings={{ ...POLICY_MEANINGS, ...VERDICT_MEANINGS }} />
            </>
          )
        }
      </Answered>
    </>
  )
}

const describeEmpty = (isLoaded: boolean): string =>
  isLoaded ? 'No turn has been recorded yet.' : `Counts ${REPLAY.about}.`

const describeDetector = (detector: (typeof DETECTORS)[number]): string =>
  detector === 'should_stop' ? 'the advice to stop' : `the verdict ${detector.replaceAll('_', ' ')}`

type Replayed = { world: string; turns: number; policies: { policy: Policy; counted: CountedTurn[] }[] }

/** Reads a session of the service in the form of the rules. */
const toReplayed = ({ world_slug: world, turns, policies }: ItemOf<'replaySessions'>): Replayed => ({
  world,
  turns,
  policies: policies.map(({ policy, counted }) => ({
    policy,
    counted: counted.map(({ proven_in, verified_again, turns_after, ...each }) => ({
      ...each,
      provenIn: proven_in,
      verifiedAgain: verified_again,
      turnsAfter: turns_after,
    })),
  })),
})

const FACTS: readonly [amount: Exclude<keyof ReplayTotals, 'policy'>, name: string][] = [
  ['sessions', 'Sessions'],
  ['turns', 'Turns'],
  ['repeated', 'Turns after the first'],
  ['afterAllProven', 'Turns after everything was proven'],
  ['judgedAgain', 'Turns that judged again what was verified'],
  ['stops', 'Sessions that would have ended'],
  ['rightStops', 'of them, never approved later'],
  ['turnsSaved', 'Turns saved'],
  ['turnsLost', 'Turns lost: the session was approved later'],
]

/** Draws the totals: one row per fact, one column per policy. */
const Totals = ({ totals }: { totals: readonly ReplayTotals[] }) => (
  <Table
    label="Replay by policy"
    records={FACTS}
    toKey={([amount]) => amount}
    columns={[
      { head: 'Policy', isName: true, cell: ([, name]) => name },
      ...totals.map((total) => ({
        head: total.policy,
        isNumber: true,
        cell: ([amount]: (typeof FACTS)[number]) => total[amount],
      })),
    ]}
  />
)

function TooLong({ sessions }: { sessions: readonly string[] }) {
  if (sessions.length === 0) return null
  return (
    <p class="cut">
      Too long to be replayed: <Names of={sessions} />.
    </p>
  )
}

type Counted = CountedTurn & { world: string }

/** Lists the turns that a policy counts, by session and turn. */
const listCounted = (sessions: readonly Replayed[], chosen: Policy): Counted[] =>
  sessions.flatMap(({ world, policies }) =>
    policies
      .filter(({ policy }) => policy === chosen)
      .flatMap(({ counted }) => counted.map((each) => ({ ...each, world }))),
  )

/** Draws each turn that a replay counts, with its rule. */
function CountedTurns({ project, counted }: { project: string; counted: readonly Counted[] }) {
  const search = useSearch()
  const rule = REPLAY_RULES.find((each) => each === search.get('rule')) ?? null
  const rows = counted.filter((each) => rule === null || each.rule === rule)
  return (
    <section aria-label="Counted turns" class="counted-turns">
      <h2>Counted turns</h2>
      <Choice
        legend="Rule"
        filter="rule"
        chosen={rule}
        usual={null}
        options={[
          { value: null, text: `all ${counted.length}` },
          ...REPLAY_RULES.map((value) => ({
            value,
            title: RULE_MEANINGS[value],
            text: `${describeRule(value)} ${counted.filter((each) => each.rule === value).length}`,
          })),
        ]}
      />
      {rule !== null && (
        <p class="quiet-text">
          {describeRule(rule)}: {RULE_MEANINGS[rule]}.
        </p>
      )}
      {rows.length === 0 ? (
        <p>No turn is counted.</p>
      ) : (
        <RowsTable
          label="Counted turns"
          project={project}
          columns={['world', 'turn', 'rule', 'why', 'criteria']}
          rows={rows.map((each) => [
            each.world,
            each.turn,
            describeRule(each.rule),
            describeCounted(each),
            (each.criteria ?? []).join(', '),
          ])}
          max={MAX_ROWS}
        />
      )}
    </section>
  )
}

const describeRule = (rule: (typeof REPLAY_RULES)[number]): string => rule.replaceAll('_', ' ')
