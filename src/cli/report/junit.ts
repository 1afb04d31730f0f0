/** Renders criteria as a test report in the format of JUnit, which CI services read. Pure. */
import { noteBasis } from '../../rules/basis.ts'
import { removeHidden, toOneLine } from '../../rules/foreign-text.ts'
import { describeState } from '../../rules/notes.ts'
import type { SessionFacts } from './session-facts.ts'

type Criterion = SessionFacts['criteria']['criteria'][number]

export function renderJunit(sessions: readonly SessionFacts[]): string {
  const suites = sessions.map(renderSuite)
  const count = (name: keyof Counts) => suites.reduce((sum, { counts }) => sum + counts[name], 0)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="turngraph" tests="${count('tests')}" failures="${count('failures')}" errors="0" time="0">`,
    ...suites.flatMap(({ lines }) => lines),
    '</testsuites>\n',
  ].join('\n')
}

type Counts = { tests: number; failures: number; skipped: number }

function renderSuite({ world, criteria: { criteria } }: SessionFacts): { counts: Counts; lines: string[] } {
  const counted = criteria.filter(({ declared }) => declared !== false)
  const countOf = (state: Criterion['state']) =>
    counted.filter((criterion) => criterion.state === state).length
  const counts = { tests: counted.length, failures: countOf('rejected'), skipped: countOf('pending') }
  const numbers = `tests="${counts.tests}" failures="${counts.failures}" errors="0" skipped="${counts.skipped}" time="0"`
  const names = nameCases(counted)
  return {
    counts,
    lines: [
      `  <testsuite name="${toXml(world.worldSlug)}" ${numbers}>`,
      ...counted.flatMap((criterion, i) => renderCase(criterion, world.taskId, names[i] ?? '')),
      '  </testsuite>',
    ],
  }
}

/** Names the test cases. Equal names get a number, because CI services merge cases of one name. */
function nameCases(criteria: readonly Criterion[]): string[] {
  const seen = new Map<string, number>()
  return criteria.map(({ criterionId, text }) => {
    const name = [criterionId, text ?? '']
      .map(toOneLine)
      .filter((part) => part !== '')
      .join(' ')
    const number = (seen.get(name) ?? 0) + 1
    seen.set(name, number)
    return number === 1 ? name : `${name} (${number})`
  })
}

function renderCase(criterion: Criterion, taskId: string, name: string): string[] {
  const { state, contested, basis } = criterion
  const message = toXml(describeState(criterion, noteBasis(basis)))
  const open = `    <testcase classname="${toXml(taskId)}" name="${toXml(name)}" time="0"`
  const content =
    state === 'rejected'
      ? `<failure message="${message}" type="rejected">${toXml(reasonOf(criterion))}</failure>`
      : state === 'pending'
        ? `<skipped message="${message}"/>`
        : `<system-out>${message}${contested?.reason == null ? '' : `: ${toXml(contested.reason)}`}</system-out>`
  return [`${open}>`, `      ${content}`, '    </testcase>']
}

/** Returns the newest evidence against a criterion; empty for a Player, who sees no evidence. */
const reasonOf = ({ history = [] }: Criterion): string =>
  history.findLast(({ status, evidence }) => status === 'rejected' && evidence !== null)?.evidence ?? ''

/** Characters that XML 1.0 does not have, and halves of surrogate pairs. */
const NOT_XML = /[\p{Cs}\uFFFE\uFFFF]/gu

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
}

const toXml = (text: string): string =>
  removeHidden(text)
    .replace(NOT_XML, '')
    .replace(/[&<>"\n\t]/g, (character) => REFERENCES[character] ?? '')
