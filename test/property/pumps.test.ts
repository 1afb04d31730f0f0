import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type * as z from 'zod'
import { SHAPES } from '../../src/artifacts/artifacts.ts'
import { findTaskFolders } from '../../src/artifacts/folders.ts'
import { readFolders } from '../../src/artifacts/read.ts'
import { FORMAT_NAMES } from '../../src/artifacts/specifications/format-names.ts'
import { readSpecification } from '../../src/artifacts/specifications/formats.ts'
import { readTestReport } from '../../src/artifacts/test-reports/read-test-report.ts'
import { hasServerTable, isEmptyText } from '../../src/cli/setup/own-parts.ts'
import { storedName, storedPath } from '../../src/core/keys.ts'
import { showMarks } from '../../src/core/scrub/marks.ts'
import { scrub, scrubText } from '../../src/core/scrub/scrub.ts'
import { foldWord } from '../../src/memory/record/words.ts'
import { declaredCriteria } from '../../src/memory/specification/specification.ts'
import { onlyReads } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { isSubstantiated } from '../../src/rules/absence.ts'
import { findIdentifiers, groupByCause } from '../../src/rules/causes.ts'
import { findDeniedFiles } from '../../src/rules/denied-files.ts'
import { escapeHidden, removeHidden, toBlock, toOneLine } from '../../src/rules/foreign-text.ts'
import { resolveCriteria } from '../../src/rules/identity.ts'
import { normalizeLabel, splitLabel, withoutListMark, withoutOwnLabel } from '../../src/rules/labels.ts'
import { mapTests, type ReportedTest, type ReportFormat } from '../../src/rules/map-tests.ts'
import {
  cutSnippet,
  matchesQuery,
  readQuery,
  searchWordsOf,
  toSearchText,
} from '../../src/rules/search-words.ts'
import { masked, maskVolatile, signIssues } from '../../src/rules/signature.ts'
import { isInformative } from '../../src/rules/summaries.ts'
import { keepProgramText } from '../../src/rules/tool-error.ts'
import { joinedWords, normalizeText, splitWords } from '../../src/rules/words.ts'
import { classifyFailure } from '../../src/transcripts/failure.ts'
import { atifSession, isAtif } from '../../src/transcripts/readers/atif.ts'
import { readCodexOutput } from '../../src/transcripts/readers/codex-output.ts'
import { isInjected } from '../../src/transcripts/readers/codex-prompt.ts'
import { isRollout } from '../../src/transcripts/readers/codex-session.ts'
import { PUMPS, pumped } from '../support/pumps.ts'
import { linesOf, read, user } from '../support/written-transcript.ts'

const LONG = 32 * 1_024
const MAX_GROWTH = 2.5
const MAX_CPU_MS = 250
/** Maximum CPU time as a ratio to that of a harmless text of the same length, measured at the same moment. */
const MAX_RATIO = 5

const complaint = (description: string) => ({ severity: 'blocking' as const, category: 'bug', description })
const aTest = (name: string): ReportedTest => ({ name, status: 'passed', durationMs: null })
const NOTHING_KNOWN = { taskKey: 't', worldKey: 'w', criteria: [], labels: new Map(), earlier: [] }
const entry = (text: string) => ({ label: text.slice(0, 256), text, source: 'coach', evidence: text })

/** The text in each place of a specification: as the file, a criterion, a heading and a field. */
const SPECIFICATIONS: Readonly<Record<string, (text: string) => string>> = {
  'as the file': (text) => text,
  'in criteria': (text) => `## Acceptance Criteria\n\n- [ ] ${text}\n`,
  'above criteria': (text) => `${text}\n\n## Acceptance Criteria\n\n- It answers\n`,
}

const FORMATS = Object.fromEntries(
  FORMAT_NAMES.flatMap((format) =>
    Object.entries(SPECIFICATIONS).map(([place, write]) => [
      `a specification of format ${format}, ${place}`,
      (text: string) => readSpecification(format, write(text), { path: '' }),
    ]),
  ),
)

const inJunit = (text: string) => `<testsuite name="s"><testcase name="a">${text}</testcase></testsuite>`
const asAttribute = (text: string) => text.replace(/[<&"]/g, '+')

/** The text in each place of a test report. A report that is refused is read until then. */
const TEST_REPORTS: Readonly<Record<string, [ReportFormat, (text: string) => string]>> = {
  'a JUnit report': ['junit', (text) => text],
  'a test of a JUnit report': ['junit', inJunit],
  'a CDATA section of a JUnit report': ['junit', (text) => inJunit(`<failure><![CDATA[${text}]]></failure>`)],
  'a name in a JUnit report': [
    'junit',
    (text) => `<testsuite name="${asAttribute(text)}"><testcase name="${asAttribute(text)}"/></testsuite>`,
  ],
  'lines of a TAP report': ['tap', (text) => `${text}\n1..0`],
  'a name in a TAP report': ['tap', (text) => `ok 1 - ${text.replaceAll('\n', ' ')}\n1..1`],
  'a block of a TAP report': ['tap', (text) => `ok 1\n  ---\n  error: ${text}\n  ...\n1..1`],
  'a JSON report': ['vitest', (text) => text],
}

const TEST_READERS = Object.fromEntries(
  Object.entries(TEST_REPORTS).map(([name, [format, write]]) => [
    name,
    (text: string) => readTestReport(format, write(text)).catch(() => null),
  ]),
)

type Schema = z.core.$ZodTypes

/** Creates a value that matches a schema, with the pump in place of every text, number and key. */
function fill(schema: unknown, text: string): unknown {
  const { def } = (schema as Schema)._zod
  switch (def.type) {
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([name, field]) => [name, fill(field, text)]))
    case 'array':
      return [fill(def.element, text)]
    case 'record':
      return { [text]: fill(def.valueType, text) }
    case 'union':
      return fill(def.options[0], text)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return fill(def.innerType, text)
    case 'pipe':
      return fill(def.in, text)
    default:
      return text
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-pumps-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const REPORTS = {
  player_turn_1: SHAPES.player,
  coach_turn_1: SHAPES.coach,
  turn_state_turn_1: SHAPES.turnState,
  coach_feedback_for_turn_1: SHAPES.givenFeedback,
  task_work_results: SHAPES.taskWorkResults,
}

/** Each report of a turn. Its fields, up to 30, share the length of a text. */
const READERS = Object.fromEntries(
  Object.entries(REPORTS).map(([name, { schema }]) => [
    `the file ${name}.json`,
    async (text: string) => {
      const task = path.join(folder, 'TASK-1')
      rmSync(task, { recursive: true, force: true })
      mkdirSync(task)
      writeFileSync(
        path.join(task, `${name}.json`),
        JSON.stringify(fill(schema, text.slice(0, text.length / 32))),
      )
      await readFolders(await findTaskFolders([folder]))
    },
  ]),
)

const FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  normalizeText,
  splitWords,
  joinedWords,
  foldWord,
  normalizeLabel,
  splitLabel,
  withoutListMark,
  withoutOwnLabel: (text) => withoutOwnLabel(text, 'AC-1'),
  maskVolatile,
  masked,
  signIssues: (text) => signIssues([complaint(text)], text),
  findIdentifiers,
  groupByCause: (text) => groupByCause([complaint(text), complaint(`${text} again`)]),
  isSubstantiated: (text) => isSubstantiated(text, new Set()),
  isInformative,
  removeHidden,
  toBlock,
  toOneLine,
  escapeHidden,
  showMarks,
  scrubText,
  scrub: (text) => scrub({ text }),
  storedName,
  storedPath,
  keepProgramText: (text) => keepProgramText('Bash', `Exit code 1\n${text}`),
  findDeniedFiles: (text) =>
    findDeniedFiles({
      filesModified: ['a.ts'],
      filesSource: null,
      issues: [{ description: `git ${text} no change ${text}` }],
    }),
  classifyFailure: (text) => classifyFailure('Bash', text),
  readCodexOutput: (text) => readCodexOutput(text),
  'readCodexOutput after an exit code': (text) => readCodexOutput(`Exit code: 1\n${text}`),
  isAtif: (text) => isAtif(text),
  'isAtif of an object': (text) => isAtif(`{${text}`),
  atifSession: (text) => atifSession(text),
  isInjected: (text) => isInjected(text),
  isRollout: (text) => isRollout(text),
  hasServerTable,
  isEmptyText,
  toSearchText,
  readQuery,
  searchWordsOf,
  matchesQuery: (text) => matchesQuery(text, readQuery(`x ${text.slice(0, 900)}`).words),
  cutSnippet: (text) => cutSnippet(text, [text.slice(-1)]),
  'a prompt in a transcript': (text) => read(linesOf([user(text)])),
  'a line of a transcript that is no record': (text) => read(Buffer.from(`${text}\n{"type":"${text}"}\n`)),
  declaredCriteria: (text) => declaredCriteria.safeParse([{ criterionId: text, text }]),
  'a pattern of mapTests': (text) =>
    mapTests([{ label: text, tests: [text.slice(0, 1_000), `*${text.slice(0, 999)}`] }], [aTest(text)]),
  'a name of mapTests': (text) => mapTests([{ label: 'AC-1', tests: ['a*b*c', 'test'] }], [aTest(text)]),
  resolveCriteria: (text) =>
    resolveCriteria(NOTHING_KNOWN, {
      promises: [entry(text)],
      judgements: [[entry(`${text} again`)]],
      mentioned: [text],
    }),
}

/**
 * The fields of the operations that write. Operations with the same schema for a field share a test. The fields of a turn are those of
 * captureTurnState.
 */
const FIELD_OF_SCHEMA = new Map(
  Object.entries(operations)
    .filter(([name, { scope }]) => !onlyReads(scope) && name !== 'commitAttempt')
    .flatMap(([name, { input }]) => {
      const { def } = (input as unknown as Schema)._zod
      return Object.entries(def.type === 'object' ? def.shape : {}).map(
        ([field, schema]) => [schema, { name, input, field }] as const,
      )
    }),
)

const FIELDS = Object.fromEntries(
  [...FIELD_OF_SCHEMA].map(([schema, { name, input, field }]) => [
    `the field ${field} of ${name}`,
    (text: string) => input.safeParse({ [field]: fill(schema, text) }),
  ]),
)

const CALLS: Readonly<Record<string, (text: string) => unknown>> = {
  ...FUNCTIONS,
  ...FORMATS,
  ...TEST_READERS,
  ...FIELDS,
  ...READERS,
}

/** CPU time of one call, which other processes do not lengthen, in milliseconds. */
async function cpuMs(call: (text: string) => unknown, text: string): Promise<number> {
  const before = process.cpuUsage()
  await call(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Times below this are noise of the collector and the compiler. */
const NOISE_MS = 20

async function isSlow(call: (text: string) => unknown, pump: string): Promise<string | null> {
  const last = await cpuMs(call, pumped(pump, LONG))
  if (last <= NOISE_MS) return null
  // Some calls check all fields of a record: even a harmless text takes them long on a busy machine.
  const bound = Math.max(MAX_CPU_MS, MAX_RATIO * (await cpuMs(call, 'a'.repeat(LONG))))
  const middle = await cpuMs(call, pumped(pump, LONG / 2))
  const first = await cpuMs(call, pumped(pump, LONG / 4))
  const shown = [first, middle, last].map(Math.round).join(', ')
  if (last > bound) return `${shown} ms: more than ${Math.round(bound)} ms`
  return last > MAX_GROWTH * middle && middle > MAX_GROWTH * first
    ? `${shown} ms: grows by more than ${MAX_GROWTH} when the text doubles`
    : null
}

test('40 pumps', () => expect(new Set(PUMPS).size).toBeGreaterThanOrEqual(40))

// This is the only test that measures time: CPU time, and a slow call is measured twice more.
test.each(Object.entries(CALLS))('%s takes linear time for every pump', async (_name, call) => {
  const slow: string[] = []
  for (const pump of PUMPS) {
    let found = await isSlow(call, pump)
    for (let again = 0; again < 2 && found !== null; again++) found = await isSlow(call, pump)
    if (found !== null) slow.push(`${JSON.stringify(pump)}: ${found}`)
  }
  expect(slow).toEqual([])
})
