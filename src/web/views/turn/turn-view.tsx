// `/p/{project}/w/{world}/t/{n}`: one turn with its contexts, record and transcripts.
import type { ComponentChildren } from 'preact'
import { type Address, writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { WordList } from '../../components/word-list.tsx'
import { useEvents, useOperation } from '../../service/use-service.ts'
import { TURN_MEANINGS } from '../session/word-meanings.ts'
import { TranscriptsRegion } from './transcripts-region.tsx'
import { describeTurn } from './turn-sentence.ts'
import { TurnStory } from './turn-story.tsx'

type Props = { address: Extract<Address, { view: 'turn' }> }

export function TurnView({ address }: Props) {
  const { project, world, turn: number } = address
  const of = { project, world_slug: world, turn_number: number }
  const turn = useOperation('getTurn', of)
  const about = useOperation('getWorld', { project, world_slug: world })
  const why = useOperation('explainTurn', { project, world_slug: world, turn: number })
  useEvents({ project, world_slug: world }, () => {
    for (const { again } of [turn, about, why]) again()
  })
  return (
    <>
      <Neighbours address={address} newest={about.answer?.current_turn ?? number} />
      <Answered of={turn}>
        {(record) => (
          <>
            <Sentence title={`Turn ${number} of ${world}`}>{describeTurn(record, why.answer)}</Sentence>
            <TurnStory turn={record} why={why} />
            <WordList meanings={TURN_MEANINGS} />
            <TranscriptsRegion turn={record} />
          </>
        )}
      </Answered>
    </>
  )
}

function Neighbours({ address, newest }: { address: Props['address']; newest: number }) {
  const { project, world, turn } = address
  const to = (number: number, children: ComponentChildren) => (
    <a href={writeAddress({ view: 'turn', project, world, turn: number })}>{children}</a>
  )
  return (
    <nav class="neighbours" aria-label="Turns beside this one">
      {turn > 1 && to(turn - 1, `← Turn ${turn - 1}`)}
      <a href={writeAddress({ view: 'session', project, world })}>
        <bdi>{world}</bdi>
      </a>
      <a href={writeAddress({ view: 'session', project, world }, { turn })}>as of this turn</a>
      {turn < newest && to(turn + 1, `Turn ${turn + 1} →`)}
    </nav>
  )
}
