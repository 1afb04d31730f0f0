// `/p/{project}/patterns`: how agents work, from their transcripts: patterns of turns, sequences of calls, tools, errors, desires.
import { plural } from '../../../core/plural.ts'
import { quoteForShell } from '../../../rules/command-line.ts'
import { isSingleTool } from '../../../transcripts/pattern.ts'
import type { Address } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { useEvents, useOperation } from '../../service/use-service.ts'
import { PatternTurns } from './pattern-turns.tsx'
import { callsPerTurn, LAST_SEEN, Ranking, SESSIONS } from './ranking.tsx'

type Props = { address: Extract<Address, { view: 'patterns' }> }
type Pattern = ItemOf<'listTranscriptPatterns'>

const MAX_PATTERNS = 100
const MAX_SEQUENCES = 20
const MAX_TOOLS = 40
const MAX_ERRORS = 50

export function PatternsView({ address: { project } }: Props) {
  const search = useSearch()
  const [since, session, opened] = [search.get('since'), search.get('session'), search.get('pattern')]
  const minLength = search.get('min_length')
  const scope = { project, since, session_id: session }
  // Loads all patterns in one page: the view counts their turns, and the service counts all turns again for each page.
  const patterns = useOperation('listTranscriptPatterns', {
    ...scope,
    limit: 0,
    ...(minLength !== null && { min_length: Number(minLength) }),
  })
  const all = useOperation('listTranscriptPatterns', { ...scope, min_length: 0, limit: 0 })
  const sequences = useOperation('listTranscriptSequences', { ...scope, limit: MAX_SEQUENCES })
  const tools = useOperation('listToolStats', { project, since, limit: MAX_TOOLS })
  const paths = useOperation('listPaths', { project, since, limit: MAX_ERRORS })
  const desires = useOperation('listDesires', { project, limit: MAX_ERRORS })
  const recorded = all.answer === null ? null : countTurns(all.answer.items)
  const isSelected = since !== null || session !== null
  useEvents({ project }, () => {
    patterns.again()
    all.again()
  })
  return (
    <>
      <Sentence title="Patterns">
        {patterns.answer === null ? ' ' : sentenceFor(patterns.answer.items)}
      </Sentence>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Field
          label="Calls a turn has at least"
          type="number"
          min={0}
          value={minLength}
          placeholder="the threshold"
          change={(value) => filterBy({ min_length: value })}
        />
        <Field label="Since" type="date" value={since} change={(value) => filterBy({ since: value })} />
        <Field
          label="Session"
          value={session}
          placeholder="all"
          change={(value) => filterBy({ session: value })}
        />
      </form>
      <Answered of={patterns}>
        {({ items }) => (
          <>
            <ShorterTurns count={(recorded ?? 0) - countTurns(items)} />
            {recorded === 0 && !isSelected && (
              <Empty command={`turngraph import transcripts PATH --project ${quoteForShell(project)}`}>
                No turn of a transcript is recorded here. This imports transcripts of Claude Code:
              </Empty>
            )}
            {recorded === 0 && isSelected && <p>No turn of a transcript is in this selection.</p>}
            <Ranking
              title="Patterns of turns"
              label="Patterns"
              rows={items}
              limit={MAX_PATTERNS}
              name={namePattern(opened)}
              amount={TURNS}
              columns={[AVERAGE_LENGTH, SESSIONS]}
            />
          </>
        )}
      </Answered>
      {opened !== null && <PatternTurns key={opened} project={project} pattern={opened} />}
      <Answered of={sequences}>
        {({ items }) => (
          <Ranking
            title="Sequences of 2 to 5 calls"
            label="Sequences"
            rows={items}
            limit={MAX_SEQUENCES}
            name={{ head: 'Sequence', key: ({ sequence }) => sequence }}
            amount={{ head: 'Turns', read: ({ turns }) => turns }}
            columns={[SESSIONS]}
          />
        )}
      </Answered>
      <Answered of={tools}>
        {({ items }) => (
          <Ranking
            title="Tools"
            note="A turn is long if it has more calls than the threshold, which is 5 unless TURNGRAPH_TURN_LENGTH_THRESHOLD sets another one."
            label="Tools"
            rows={items}
            limit={MAX_TOOLS}
            name={{ head: 'Tool', key: ({ tool_name }) => tool_name }}
            amount={{ head: 'Calls', read: ({ count }) => count }}
            columns={[
              { head: 'Turns', isNumber: true, cell: ({ turns }) => turns },
              {
                head: 'Of them long, %',
                isNumber: true,
                cell: ({ long_turn_pct }) => long_turn_pct.toFixed(0),
              },
              callsPerTurn(({ avg_turn_len }: ItemOf<'listToolStats'>) => avg_turn_len),
            ]}
          />
        )}
      </Answered>
      <Answered of={paths}>
        {({ items }) => (
          <Ranking
            title="Errors that recur"
            label="Errors"
            rows={items.filter(({ category }) => category === 'tool-error')}
            limit={MAX_ERRORS}
            name={{
              head: 'Tool and error',
              key: ({ pattern }) => pattern,
              cell: ({ pattern }) => <span class="said">{pattern}</span>,
            }}
            amount={{ head: 'Calls failed', read: ({ count }) => count }}
            columns={[SESSIONS, LAST_SEEN]}
          />
        )}
      </Answered>
      <Answered of={desires}>
        {({ items }) => (
          <Ranking
            title="Worth a better tool"
            label="Desires"
            rows={items}
            limit={MAX_ERRORS}
            name={namePattern(opened)}
            amount={TURNS}
            columns={[AVERAGE_LENGTH, SESSIONS, LAST_SEEN]}
          />
        )}
      </Answered>
    </>
  )
}

const TURNS = { head: 'Turns', read: ({ count }: { count: number }) => count }
const AVERAGE_LENGTH = callsPerTurn(({ avg_length }: { avg_length: number }) => avg_length)

/** Names a pattern with a button that shows its turns. */
const namePattern = (opened: string | null) => ({
  head: 'Pattern',
  key: ({ pattern }: { pattern: string }) => pattern,
  cell: ({ pattern }: { pattern: string }) => (
    <button
      type="button"
      class="quiet pattern"
      aria-expanded={pattern === opened}
      onClick={() => filterBy({ pattern: pattern === opened ? null : pattern })}
    >
      <bdi>{pattern}</bdi>
    </button>
  ),
})

function ShorterTurns({ count }: { count: number }) {
  if (count <= 0) return null
  return (
    <p>
      {plural(count, 'turn')} with fewer calls {count === 1 ? 'is' : 'are'} left out.{' '}
      <button type="button" onClick={() => filterBy({ min_length: '0' })}>
        Show turns of any length
      </button>
    </p>
  )
}

const countTurns = (patterns: readonly Pattern[]): number =>
  patterns.reduce((sum, { count }) => sum + count, 0)

function sentenceFor(patterns: readonly Pattern[]): string {
  const turns = countTurns(patterns)
  if (patterns.length === 0) return 'There is no pattern of turns here.'
  const follow = `${plural(turns, 'turn')} ${turns === 1 ? 'follows' : 'follow'} ${plural(patterns.length, 'pattern')}`
  // Repeated calls of a single tool are not informative, however frequent.
  const [first] = patterns
    .filter(({ pattern }) => !isSingleTool(pattern))
    .toSorted((a, b) => b.count - a.count)
  if (first === undefined) return `${follow}, each of a single tool.`
  return `${follow}; the most frequent of several tools, ${first.pattern}, ${first.count} of them.`
}
