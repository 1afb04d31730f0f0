// `/p/{project}/w/{world}/t/{n}`: one turn with its contexts, record and transcripts.
import { type Address, writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { SessionLink, TurnLink } from '../../components/view-link.tsx'
import { WordList } from '../../components/word-list.tsx'
import { useEvents, useOperation } from '../../service/use-service.ts'
import { nameSession } from '../../session-name.ts'
import { TURN_MEANINGS } from '../session/word-meanings.ts'
import { ContextsRegion } from './contexts-region.tsx'
import { TranscriptsRegion } from './transcripts-region.tsx'
import { Did, Next, SentBack, TurnFacts } from './turn-record.tsx'
import { describeTurn } from './turn-sentence.ts'
import { VerdictsRegion } from './verdicts-region.tsx'

type Props = { address: Extract<Address, { view: 'turn' }> }

export function TurnView({ address }: Props) {
  const { project, world, turn: number } = address
  const of = { project, world_slug: world, turn_number: number }
  const turn = useOperation('getTurn', of)
  const byTurn = useOperation('listCriteriaByTurn', { project, world_slug: world })
  const why = useOperation('explainTurn', { project, world_slug: world, turn: number })
  const promises = useOperation(
    'recoverPromises',
    turn.answer && {
      project,
      feature_id: turn.answer.feature_id,
      task_id: turn.answer.task_id,
      world_slug: world,
      turn: number,
    },
  )
  useEvents({ project, world_slug: world }, () => {
    for (const { again } of [turn, byTurn, why, promises]) again()
  })
  const recorded = byTurn.answer?.turns ?? []
  const before = recorded.findLast((each) => each < number)
  const after = recorded.find((each) => each > number)
  return (
    <>
      {byTurn.failure === null && (
        <nav class="neighbours" aria-label="Turns beside this one">
          {before !== undefined && <TurnLink {...{ project, world, turn: before }}>← Turn {before}</TurnLink>}
          <SessionLink project={project} world={world} />
          <a href={writeAddress({ view: 'session', project, world }, { turn: number })}>as of this turn</a>
          {after !== undefined && <TurnLink {...{ project, world, turn: after }}>Turn {after} →</TurnLink>}
        </nav>
      )}
      <Answered of={turn}>
        {(record) => (
          <>
            <Sentence title={`Turn ${number} of ${nameSession(world)}`}>
              {describeTurn(record, why.answer)}
            </Sentence>
            <TurnFacts turn={record} />
            <ContextsRegion turn={record} before={before} />
            <Did turn={record} />
            <VerdictsRegion why={why} promises={promises} />
            <SentBack turn={record} />
            <Next turn={record} promised={why.answer?.promised_not_judged} />
            <WordList meanings={TURN_MEANINGS} />
            <TranscriptsRegion turn={record} />
          </>
        )}
      </Answered>
    </>
  )
}
