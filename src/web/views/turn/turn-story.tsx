// Draws the story of a turn: its context, its work, the verdicts that changed, the reason of the decision, and the next step.
import { nameCriterion } from '../../criterion-name.ts'
import { decisionMark, Mark } from '../../marks/mark.tsx'
import type { Answered as AnswerOf, Turn } from '../../service/operations.ts'
import type { Answer } from '../../service/use-service.ts'
import { ContextsRegion } from './contexts-region.tsx'
import { ModifiedFiles, TextList, TurnFacts, TurnIssues } from './turn-record.tsx'
import { VerdictsRegion } from './verdicts-region.tsx'

type Why = Answer<AnswerOf<'explainTurn'>>

export function TurnStory({ turn, why }: { turn: Turn; why: Why }) {
  return (
    <>
      <TurnFacts turn={turn} />
      <ContextsRegion turn={turn} />
      <Did turn={turn} />
      <VerdictsRegion turn={turn} why={why} />
      <SentBack turn={turn} />
      <Next turn={turn} why={why.answer} />
    </>
  )
}

/** Maximum number of files that are shown at once. */
const MAX_FILES = 12

function Did({ turn }: { turn: Turn }) {
  const { files_modified: files, commit, promises } = turn
  return (
    <section aria-label="Did">
      <h2>Did</h2>
      <h3>Player{turn.player_decision === 'unknown' ? '' : `: ${turn.player_decision}`}</h3>
      <p class="said told-text">{turn.player_summary}</p>
      {promises.length > 0 && (
        <p>
          Claims to have met:{' '}
          {promises.map(({ criterion_id, status }, i) => (
            <span key={i}>
              {i > 0 && ', '}
              <bdi>{criterion_id}</bdi>
              {status !== 'complete' && <span class="quiet-text"> ({status.replaceAll('_', ' ')})</span>}
            </span>
          ))}
        </p>
      )}
      {commit !== null && (
        <p>
          Commit{' '}
          <code>
            <bdi>{commit}</bdi>
          </code>
        </p>
      )}
      <ModifiedFiles files={files} source={turn.files_source} isOpen={files.length <= MAX_FILES} />
      {files.length === 0 && <p class="quiet-text">No created or modified file is recorded.</p>}
      <TextList head="Blockers" texts={turn.blockers_found} />
      <TextList head="Lessons" texts={turn.lessons_from_turn} />
    </section>
  )
}

const REASONS: Readonly<Record<string, string>> = {
  approved: 'Why it was approved',
  feedback: 'Why it was sent back',
  rejected: 'Why it was rejected',
  error: 'Why it failed',
}

function SentBack({ turn }: { turn: Turn }) {
  const { coach_decision: decision, coach_feedback: feedback, gates } = turn
  const failed = Object.keys(gates).filter((gate) => gates[gate] === 'failed')
  return (
    <section aria-label="Why">
      <h2>{REASONS[decision] ?? 'What the Coach decided'}</h2>
      <h3>
        Coach: <Mark of={decisionMark(decision)} /> {decision}
      </h3>
      <p class="said told-text">{feedback ?? 'No feedback.'}</p>
      {failed.length > 0 && (
        <p>
          {failed.length === 1 ? 'Failed gate: ' : 'Failed gates: '}
          {failed.map((gate, i) => (
            <span key={gate}>
              {i > 0 && ', '}
              <bdi>{gate}</bdi>
            </span>
          ))}
        </p>
      )}
      <TurnIssues issues={turn.issues} />
    </section>
  )
}

function Next({ turn, why }: { turn: Turn; why: AnswerOf<'explainTurn'> | null }) {
  const promised = why?.promised_not_judged ?? []
  return (
    <section aria-label="What next">
      <h2>What next</h2>
      <p class={turn.what_to_try_next === null ? 'quiet-text' : 'said told-text'}>
        {turn.what_to_try_next ?? 'The Coach named no next step.'}
      </p>
      {promised.length > 0 && (
        <p>
          Promised, and never judged:{' '}
          {promised.map((criterion, i) => (
            <span key={criterion.key}>
              {i > 0 && ', '}
              <bdi>{nameCriterion(criterion)}</bdi>
            </span>
          ))}
        </p>
      )}
    </section>
  )
}
