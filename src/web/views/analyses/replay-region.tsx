// `/p/{project}/analyses/replay`: what the memory would have changed in recorded sessions.

import { DETECTORS } from '../../../rules/replay-rules.ts'
import { describeReplay, sumReplays } from '../../../rules/replay-sums.ts'
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Field } from '../../components/field.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { WordList } from '../../components/word-list.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import { POLICY_MEANINGS } from '../session/as-of.tsx'
import { VERDICT_MEANINGS } from '../session/word-meanings.ts'
import { CountedTurns } from './counted-turns.tsx'
import { listCounted, toReplayed } from './replay-rows.ts'
import { ReplayTable } from './replay-table.tsx'
import { useReplay } from './use-replay.ts'

/** Entry of the replay in the list of analyses. */
export const REPLAY = {
  name: 'replay',
  question: 'What would the memory have changed in recorded sessions?',
  about:
    'turns after everything was proven, turns that judged again what was verified, and sessions that a detector would have ended, under each policy',
} as const

type Detector = (typeof DETECTORS)[number]

export function ReplayRegion({ project }: { project: string }) {
  const search = useSearch()
  const stall = DETECTORS.find((each) => each === search.get('stall')) ?? 'should_stop'
  const [feature, task] = [search.get('feature'), search.get('task')]
  const replay = useReplay({
    project,
    stall,
    ...(feature !== null && { feature_id: feature }),
    ...(task !== null && { task_id: task }),
  })
  const sessions = (replay.answer?.sessions ?? []).map(toReplayed)
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
        <DetectorChoice stall={stall} />
        <a href={writeAddress({ view: 'analyses', project, analysis: null })}>All analyses</a>
      </form>
      <Answered of={replay}>
        {({ tooLong, hasMore }) =>
          chosen !== undefined && (
            <>
              <ReplayTable totals={totals} chosen={chosen.policy} />
              {hasMore && (
                <p class="cut">
                  The first {sessions.length} sessions are replayed.{' '}
                  <button type="button" onClick={replay.more}>
                    Replay more
                  </button>
                </p>
              )}
              {tooLong.length > 0 && (
                <p class="cut">
                  Too long to be replayed: <bdi>{tooLong.join(', ')}</bdi>.
                </p>
              )}
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

const DETECTOR_NAMES: Readonly<Record<Detector, string>> = {
  should_stop: 'the advice to stop',
  stalled: 'the verdict stalled',
  blocked: 'the verdict blocked',
  oscillating: 'the verdict oscillating',
  plateau: 'the verdict plateau',
  no_growth: 'the verdict no growth',
}

function DetectorChoice({ stall }: { stall: Detector }) {
  return (
    <label>
      Sessions end with{' '}
      <select value={stall} onChange={({ currentTarget }) => filterBy({ stall: currentTarget.value })}>
        {DETECTORS.map((each) => (
          <option key={each} value={each}>
            {DETECTOR_NAMES[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
