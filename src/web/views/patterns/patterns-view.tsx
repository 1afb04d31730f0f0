// `/p/{project}/patterns`: how agents work, from their transcripts: patterns of turns, tools, errors, desires.

import { plural } from '../../../core/plural.ts'
import { isSingleTool } from '../../../transcripts/pattern.ts'
import type { Address } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { useEvents, useOperation } from '../../service/use-service.ts'
import { DesiresRegion } from './desires-region.tsx'
import { ErrorsRegion } from './errors-region.tsx'
import { PatternTurns } from './pattern-turns.tsx'
import { PatternsRegion } from './patterns-region.tsx'
import { SequencesRegion } from './sequences-region.tsx'
import { ToolsRegion } from './tools-region.tsx'

type Props = { address: Extract<Address, { view: 'patterns' }> }

const MAX_PATTERNS = 100

export function PatternsView({ address: { project } }: Props) {
  const search = useSearch()
  const since = search.get('since')
  const [session, minLength, opened] = [
    search.get('session'),
    search.get('min_length'),
    search.get('pattern'),
  ]
  const scope = {
    project,
    ...(since !== null && { since }),
    ...(session !== null && { session_id: session }),
  }
  const ofLength = minLength === null ? {} : { min_length: Number(minLength) }
  const patterns = useOperation('listTranscriptPatterns', { ...scope, ...ofLength, limit: MAX_PATTERNS })
  // All patterns, to count the turns that the filter leaves out. In one page each, because each page counts all turns again.
  const counted = useOperation('listTranscriptPatterns', { ...scope, ...ofLength, limit: 0 })
  const all = useOperation('listTranscriptPatterns', { ...scope, min_length: 0, limit: 0 })
  const recorded = all.answer === null ? null : countTurns(all.answer.items)
  const shorter =
    recorded === null || counted.answer === null ? 0 : recorded - countTurns(counted.answer.items)
  useEvents({ project }, () => {
    patterns.again()
    counted.again()
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
      {shorter > 0 && <ShorterTurns count={shorter} />}
      <Answered of={patterns}>
        {({ items }) =>
          items.length === 0 ? (
            recorded === 0 &&
            (since === null && session === null ? (
              <Empty command={`turngraph import transcripts PATH --project ${project}`}>
                No turn of a transcript is recorded here. This imports transcripts of Claude Code:
              </Empty>
            ) : (
              <p>No turn of a transcript is in this selection.</p>
            ))
          ) : (
            <PatternsRegion patterns={items} opened={opened} isCut={items.length === MAX_PATTERNS} />
          )
        }
      </Answered>
      {opened !== null && <PatternTurns key={opened} project={project} pattern={opened} />}
      <SequencesRegion project={project} since={since} session={session} />
      <ToolsRegion project={project} since={since} />
      <ErrorsRegion project={project} since={since} />
      <DesiresRegion project={project} />
    </>
  )
}

function ShorterTurns({ count }: { count: number }) {
  return (
    <p>
      {plural(count, 'turn')} with fewer calls {count === 1 ? 'is' : 'are'} left out.{' '}
      <button type="button" onClick={() => filterBy({ min_length: '0' })}>
        Show turns of any length
      </button>
    </p>
  )
}

const countTurns = (patterns: readonly ItemOf<'listTranscriptPatterns'>[]): number =>
  patterns.reduce((sum, { count }) => sum + count, 0)

function sentenceFor(patterns: readonly ItemOf<'listTranscriptPatterns'>[]): string {
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
