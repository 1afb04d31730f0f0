// `/p/{project}/w/{world}`: one session, now or as of one of its turns.
import { useMemo } from 'preact/hooks'
import { type Address, readCount, writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Empty } from '../../components/empty.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { WordList } from '../../components/word-list.tsx'
import { useSearch } from '../../navigation.ts'
import { nameSession } from '../../session-name.ts'
import { Summary } from '../sessions/outcome.tsx'
import { type Policy, readPolicy } from './as-of.tsx'
import { readConsistency } from './consistency.ts'
import { ConsistencyRegion } from './consistency-region.tsx'
import { IssuesRegion } from './issues-region.tsx'
import { MatrixRegion } from './matrix-region.tsx'
import { describeSession } from './session-sentence.ts'
import { AxisChoice, TurnsRegion } from './turns-region.tsx'
import { type SessionRecord, useSessionRecord } from './use-session-record.ts'
import { VerdictRegion } from './verdict-region.tsx'
import { SESSION_MEANINGS } from './word-meanings.ts'

type Props = { address: Extract<Address, { view: 'session' }> }

export function SessionView({ address: { project, world } }: Props) {
  const search = useSearch()
  const turn = readCount(search.get('turn'))
  const policy = readPolicy(search.get('policy'))
  return (
    <Answered of={useSessionRecord({ project, world, turn, policy })}>
      {(record) => <Session record={record} turn={turn} policy={policy} />}
    </Answered>
  )
}

function Session({ record, turn, policy }: { record: SessionRecord; turn: number | null; policy: Policy }) {
  const { world, criteria, byTurn, stall, issues, why } = record
  const newest = world.current_turn
  const at = turn === null || turn >= newest ? newest : turn
  const numbers = useMemo(() => byTurn?.turns.filter((number) => number <= at) ?? [], [byTurn, at])
  const turns = useMemo(
    () => record.turns?.filter(({ turn_number }) => turn_number <= at) ?? null,
    [record.turns, at],
  )
  // The summary is about the whole session.
  const summary = at === newest ? record.summary : null
  const standing = describeSession(criteria, why, world, at === newest, summary?.summary)
  const axis = useSearch().get('time') === 'clock' ? 'clock' : 'number'
  return (
    <>
      <Sentence title={nameSession(world.world_slug)}>
        {summary === null ? standing : <Summary of={summary} />}
      </Sentence>
      {summary !== null && <p class="standing">{standing}</p>}
      <Scope world={world} />
      {stall !== null && (
        <VerdictRegion stall={stall} criteria={criteria} outcome={summary?.outcome ?? null} />
      )}
      <WordList meanings={SESSION_MEANINGS} />
      {newest === 0 && (
        <Empty command="turngraph capture TURN.json">This session has no turn yet. This records one:</Empty>
      )}
      {byTurn === null && <p class="loading">Loading …</p>}
      {byTurn !== null && (newest > 0 || criteria.total > 0) && (
        <MatrixRegion
          record={record}
          byTurn={byTurn}
          turns={turns}
          numbers={numbers}
          at={at}
          policy={policy}
        />
      )}
      {newest > 0 && issues !== null && <IssuesRegion issues={issues} turns={numbers} />}
      {newest > 0 && byTurn !== null && record.summary !== null && (
        <ConsistencyRegion
          world={world}
          facts={readConsistency({ criteria, byTurn, reversals: record.summary.reversals, upTo: at })}
        />
      )}
      {newest > 0 && turns !== null && (
        <TurnsRegion turns={turns} axis={axis} tokens={record.tokens}>
          <AxisChoice axis={axis} />
        </TurnsRegion>
      )}
    </>
  )
}

/** Names the feature and task of a session and the slug that commands need, and links to its active run. */
function Scope({ world }: { world: SessionRecord['world'] }) {
  const { project, feature_id: feature, task_id: task, world_slug: slug, active_turn_run_id: run } = world
  return (
    <p class="scope">
      Feature <bdi>{feature}</bdi> · task <bdi>{task}</bdi>
      {nameSession(slug) !== slug && ` · slug ${slug}`}
      {run !== null && (
        <>
          {' · '}
          <a href={writeAddress({ view: 'run', project, run })}>the run that is at work</a>
        </>
      )}
      {run === null && world.active_attempt_id !== null && ' · an attempt is at work'}
    </p>
  )
}
