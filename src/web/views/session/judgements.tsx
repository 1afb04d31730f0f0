// Draws the promises and verdicts of a turn about a criterion, each with its evidence and files.
import { FileList } from '../../components/file-list.tsx'
import { Instant } from '../../components/instant.tsx'
import { Said } from '../../components/said.tsx'
import { Mark } from '../../marks/mark.tsx'
import type { Answered, Turn } from '../../service/operations.ts'

type PromiseItem = Answered<'recoverPromises'>['items'][number]

type PromisesProps = { promises: readonly PromiseItem[]; empty: string }

export function Promises({ promises, empty }: PromisesProps) {
  if (promises.length === 0) return <p class="quiet-text">{empty}</p>
  return (
    <>
      {promises.map((promise) => (
        <div key={promise.label} class="entry">
          <p>
            <Mark of={promise.status === 'complete' ? 'promised' : 'unfinished'} /> {promise.status}
            {promise.confidence !== null && `, confidence ${promise.confidence}`}
            {promise.evidence_type !== null && `, by ${promise.evidence_type}`}
          </p>
          {promise.evidence != null && <Said text={promise.evidence} />}
          <FileList
            files={[
              ...(promise.test_file === null ? [] : [promise.test_file]),
              ...promise.implementation_files,
            ]}
          />
        </div>
      ))}
    </>
  )
}

/** A verdict of a turn: an entry of a history, or of the explanation of a turn. */
type Verdict = Pick<
  Answered<'getCriterionHistory'>['items'][number],
  'status' | 'source' | 'added_at' | 'evidence'
> &
  Pick<NonNullable<Answered<'explainTurn'>['verdicts']>[number], 'observed_on'>

type VerdictsProps = {
  verdicts: readonly Verdict[]
  /** Verifications of the record of the turn, which have the files of the verdicts. */
  verifications?: Turn['verifications'] | undefined
  empty: string
}

export function Verdicts({ verdicts, verifications = [], empty }: VerdictsProps) {
  if (verdicts.length === 0) return <p class="quiet-text">{empty}</p>
  return (
    <>
      {verdicts.map((verdict, i) => {
        const { status, source, added_at: added, evidence, observed_on: on } = verdict
        return (
          <div key={i} class="entry">
            <p>
              <Mark of={markFor(status)} /> {status} <Source of={source} />
              {added !== undefined && (
                <span class="quiet-text">
                  , added <Instant at={added} />
                </span>
              )}
            </p>
            {evidence === null ? <p class="quiet-text">Without evidence.</p> : <Said text={evidence} />}
            {on !== undefined && (
              <p class="quiet-text">
                {on.commit !== null ? 'On commit ' : on.tree !== null ? 'On the tree ' : 'On an unknown tree'}
                {(on.commit ?? on.tree) !== null && <code>{(on.commit ?? on.tree)?.slice(0, 12)}</code>}
                {on.dirty !== null && ' with changes'}, <Instant at={on.at} />
              </p>
            )}
            <FileList files={listProofFiles(verdict, verifications)} />
          </div>
        )
      })}
    </>
  )
}

/** Finds the files of a verdict in the matching verification of the record, because a verdict does not contain files. */
const listProofFiles = (
  { status, source, evidence }: Verdict,
  verifications: Turn['verifications'],
): string[] =>
  verifications.find(
    (one) =>
      one.status === status && one.source === source && one.evidence === evidence && one.files !== undefined,
  )?.files ?? []

export const markFor = (status: Verdict['status']) =>
  status === 'verified' || status === 'rejected' ? status : ('unknown' as const)

export const Source = ({ of }: { of: string }) => (
  <span class="quiet-text">by {SOURCE_WORDS[of] ?? `the ${of}`}</span>
)

const SOURCE_WORDS: Readonly<Record<string, string>> = { person: 'a person', command: 'a command' }
