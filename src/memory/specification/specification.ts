/** Declares the specification of a task: its criteria, in versions (contract: specification.md). */
import * as z from 'zod'
import { filePath, label, text } from '../../core/fields.ts'
import { MAX_ARGUMENTS, MAX_COMMAND_BYTES, splitCommand } from '../../rules/command-line.ts'
import type { Criterion } from '../../rules/identity.ts'
import { normalizeLabel } from '../../rules/labels.ts'
import { CRITERION_KINDS, type CriterionKind, columns } from '../../rules/values.ts'
import { joinedWords } from '../../rules/words.ts'
import { criterionRow } from '../record/criterion-rows.ts'

export const MAX_CRITERIA = 2_000

/** The program and its arguments; a text is split as a shell would, without a shell. */
const command = z
  .union([
    z.string(),
    z
      .array(
        text.refine(
          (argument) => Buffer.byteLength(argument) <= MAX_COMMAND_BYTES,
          `is longer than ${MAX_COMMAND_BYTES} bytes`,
        ),
      )
      .min(1, 'is empty; name a program')
      .max(MAX_ARGUMENTS, `has more than ${MAX_ARGUMENTS} arguments`)
      .refine(([program]) => program !== '', 'has an empty program'),
  ])
  .transform((given, context): string[] => {
    const split = typeof given === 'string' ? splitCommand(given) : { argv: given }
    if ('argv' in split) return split.argv
    context.addIssue({ code: 'custom', message: split.refused })
    return z.NEVER
  })
/** Maximum number of patterns of a criterion. An outline of Gherkin has one for each of 100 examples. */
const MAX_TEST_PATTERNS = 100
export const MAX_PATTERN_CHARACTERS = 1_000

const testPatterns = z
  .array(
    text
      .max(MAX_PATTERN_CHARACTERS, `is longer than ${MAX_PATTERN_CHARACTERS} characters`)
      .refine((given) => given.trim() !== '', 'is empty; name a test'),
  )
  .max(MAX_TEST_PATTERNS, `has more than ${MAX_TEST_PATTERNS} names; use * for several tests`)

const declaredInput = z.strictObject({
  criterionId: label
    .regex(/\S/, 'is empty; leave it out, or name the criterion')
    .nullish()
    .describe('default: AC-001 … in order'),
  text: text
    .refine((given) => joinedWords(given) !== '', 'has no words; say what must hold')
    .describe('what must hold'),
  kind: z
    .enum(CRITERION_KINDS)
    .nullish()
    .describe("code: the default; command: proven by a command's exit; manual: a person looks"),
  command: command
    .nullish()
    .describe(
      'of kind command: what `turngraph verify` runs, as a text or as a list of arguments; without a shell',
    ),
  tests: testPatterns
    .nullish()
    .describe('names of tests that prove it; * is any text, also at the start of a name'),
})

/** Criteria of a task in order. Rejects two criteria with one id or with equal words. */
export const declaredCriteria = z
  .array(declaredInput)
  .min(1, 'is empty; a task declares one criterion at least')
  .max(MAX_CRITERIA, `has more than ${MAX_CRITERIA} criteria`)
  .superRefine((criteria, context) => {
    const refuse = (i: number, field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [i, field], message })
    for (const [earlier, i] of equalPairs(criteria.map((each, i) => normalizeLabel(chooseLabel(each, i))))) {
      const label = JSON.stringify(chooseLabel(criteria[i], i))
      const other = `criterion ${earlier + 1} in the list`
      if (criteria[i]?.criterionId == null)
        refuse(
          i,
          'criterionId',
          `is left out, and the default of its place, ${label}, is the id of ${other}; give it one`,
        )
      else if (criteria[earlier]?.criterionId == null)
        refuse(
          i,
          'criterionId',
          `is the default id, ${label}, of ${other}, which has none; give that one an id`,
        )
      else refuse(i, 'criterionId', `has the id of ${other}: ${label}; each is declared once`)
    }
    for (const [i, { kind, command }] of criteria.entries())
      if (command != null && kind != null && kind !== 'command')
        refuse(i, 'command', `is for criteria of the kind command, not ${kind}`)
    for (const [earlier, i] of equalPairs(criteria.map(({ text }) => joinedWords(text)))) {
      const text = JSON.stringify(criteria[i]?.text)
      refuse(
        i,
        'text',
        `has the words of criterion ${earlier + 1} in the list: ${text}; each is declared once`,
      )
    }
  })

/** Returns the positions of repeated names, each after the position of the first occurrence. */
function equalPairs(names: readonly string[]): [earlier: number, later: number][] {
  const first = new Map<string, number>()
  return names.flatMap((name, i): [number, number][] => {
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, i)
    return earlier === undefined ? [] : [[earlier, i]]
  })
}

const chooseLabel = (given: { criterionId?: string | null | undefined } | undefined, i: number): string =>
  given?.criterionId ?? normalizeLabel(`AC-${i + 1}`)

export type DeclaredInput = z.output<typeof declaredCriteria>

export type Listing = {
  label: string
  text: string
  kind: CriterionKind
  /** Program and arguments of the kind command. */
  command?: readonly string[] | null | undefined
  /** Names of tests that prove it; `*` is any text. */
  tests?: readonly string[] | null | undefined
}

export const toListings = (criteria: DeclaredInput): Listing[] =>
  criteria.map((given, i) => ({
    label: chooseLabel(given, i),
    text: given.text,
    kind: given.kind ?? (given.command == null ? 'code' : 'command'),
    // Left out if absent: the digests of lists without commands and tests stay as they were.
    ...(given.command != null && { command: given.command }),
    ...(given.tests != null && given.tests.length > 0 && { tests: given.tests }),
  }))

export const specificationSource = z.strictObject({
  path: filePath.nullish().describe('the file that states the task'),
  commit: label.nullish().describe('at which commit it was read'),
})

const declaredView = z.object({
  criterionId: z.string(),
  text: z.string(),
  kind: z.enum(CRITERION_KINDS),
  command: z
    .array(z.string())
    .optional()
    .describe('of kind command: the program and its arguments, if they are declared'),
  key: z.string(),
  rewordedInVersion: z.number().optional().describe('the version that last worded it anew'),
  tests: z.array(z.string()).optional().describe('names of tests that prove it; * is any text'),
})

export const specificationView = z.object({
  project: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  version: z.number(),
  total: z.number(),
  declaredAt: z.string(),
  source: z.object({ path: z.string().nullable(), commit: z.string().nullable() }),
  recordedBy: z
    .string()
    .nullable()
    .describe('name of the token that declared the version; null: without a token'),
  criteria: z.array(declaredView),
  retired: z
    .array(z.object({ key: z.string(), text: z.string().nullable(), retiredInVersion: z.number() }))
    .describe('declared by an earlier version, and no longer'),
})

export type SpecificationView = z.output<typeof specificationView>

export type Declared = Listing & {
  key: string
  /** Newest version that changed its text, and the time of its declaration. */
  rewordedIn: number | null
  rewordedAt: string | null
  criterion: Criterion
}

/** Part of a specification that answers need. */
export type Specification = {
  version: number
  declaredAt: string
  declared: readonly Declared[]
  /** Retired criteria by key, with the version that left them out. */
  retiredIn: ReadonlyMap<string, number>
}

export const specificationRow = z.object({
  specification: z.object({
    key: z.string(),
    version: z.number(),
    declaredAt: z.string(),
    path: z.string().nullish(),
    commit: z.string().nullish(),
    recordedBy: z.string().nullish(),
    digest: z.string(),
    criteriaCount: z.number(),
  }),
  listed: z.array(
    columns({
      position: z.number(),
      label: z.string(),
      text: z.string(),
      kind: z.enum(CRITERION_KINDS),
      rewordedIn: z.number().nullable(),
      command: z.array(z.string()).nullish(),
      tests: z.array(z.string()).nullish(),
      criterion: criterionRow,
    }),
  ),
  /** The other versions of the task, each with the time of its declaration. */
  versions: z.array(columns({ version: z.number(), declaredAt: z.string() })),
  retired: z.array(columns({ version: z.number(), criterion: criterionRow })),
})
