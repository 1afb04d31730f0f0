// Draws the promises and verdicts of a turn about a criterion, each with its evidence and files.
import { FileList } from '../../components/file-list.tsx'
import { Instant } from '../../components/instant.tsx'
import { Mark } from '../../marks/mark.tsx'
import type { Answered, Turn } from '../../service/operations.ts'

type PromiseItem = Answered<'recoverPromises'>['items'][number]

export function Promises({ promises }: { promises: readonly PromiseItem[] }) {
  if (promises.length === 0) return <p class="quiet-text">None in this turn.</p>
  return (
    <>
      {promises.map((promise) => (
        <div key={promise.label} class="entry">
          <p>
            <Mark of={promise.status === 'complete' ? 'promised' : 'unfinished'} /> {promise.status}
            {promise.confidence !== null && `, confidence ${promise.confidence}`}
            {promise.evidence_type !== null && `, by ${promise.evidence_type}`}
          </p>
          {promise.evidence != null && <p class="said">{promise.evidence}</p>}
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

type Entry = Answered<'getCriterionHistory'>['items'][number]

type VerdictsProps = { entries: readonly Entry[]; verifications: Turn['verifications'] }

export function Verdicts({ entries, verifications }: VerdictsProps) {
  if (entries.length === 0) return <p class="quiet-text">This turn did not judge it.</p>
  return (
    <>
      {entries.map((entry, i) => (
        <div key={i} class="entry">
          <VerdictHead verdict={entry} />
          {entry.evidence === null ? (
            <p class="quiet-text">Without evidence.</p>
          ) : (
            <p class="said">{entry.evidence}</p>
          )}
          <FileList files={listProofFiles(entry, verifications)} />
        </div>
      ))}
    </>
  )
}

/** Finds the files of a history entry, which has none of its own, in the matching verification of the record. */
const listProofFiles = (
  { status, source, evidence }: Entry,
  verifications: Turn['verifications'],
): string[] =>
  verifications.find(
    (one) =>
      one.status === status && one.source === source && one.evidence === evidence && one.files !== undefined,
  )?.files ?? []

export const markFor = (status: Entry['status']) =>
  status === 'verified' || status === 'rejected' ? status : ('unknown' as const)

/** Draws the status and the source of a verdict, and when it was added to a turn that had ended. */
export const VerdictHead = ({
  verdict: { status, source, added_at: added },
}: {
  verdict: Pick<Entry, 'status' | 'source' | 'added_at'>
}) => (
  <p>
    <Mark of={markFor(status)} /> {status} <Source of={source} />
    {added !== undefined && (
      <span class="quiet-text">
        , added <Instant at={added} />
      </span>
    )}
  </p>
)

export const Source = ({ of }: { of: string }) => (
  <span class="quiet-text">by {SOURCE_WORDS[of] ?? `the ${of}`}</span>
)

const SOURCE_WORDS: Readonly<Record<string, string>> = { person: 'a person', command: 'a command' }
