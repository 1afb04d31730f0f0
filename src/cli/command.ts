/** Declares a command: its operation, the options that set the fields of the input, and the printing of the answer. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { OperationInput, OperationName, OperationOutput } from '../operations/table.ts'
import { POLICIES } from '../rules/criterion-states.ts'
import { type AskOptions, ask, type Frame } from './ask.ts'
import type { Target } from './folder-task.ts'
import type { Window } from './require-project.ts'

/**
 * Flags, their text in `--help`, and their value: `<n>` and `<ms>` take a whole number, and any other placeholder takes a text
 * that is not empty. A flag without a placeholder is a switch.
 */
type Parameter = readonly [flags: string, description: string, takes?: Takes]
type Takes = {
  choices?: readonly string[]
  required?: true
  parse?: (text: string, before: never) => unknown
  default?: unknown
  conflicts?: readonly string[]
}
/** Parameters by name. In a command of one operation, the name is a field of the input. */
export type Parameters = Readonly<Record<string, Parameter>>

type ValueOf<P> = P extends readonly [string, string, { choices: readonly (infer C)[] }]
  ? C
  : P extends readonly [string, string, { parse: (text: string, before: never) => infer V }]
    ? V
    : P extends readonly [`${string}...${string}`, ...unknown[]]
      ? string[]
      : P extends readonly [`${string}<${'n' | 'ms'}>`, ...unknown[]]
        ? number
        : P extends readonly [`--${string} <${string}` | `<${string}` | `[${string}`, ...unknown[]]
          ? string
          : boolean
export type Given<P> = { -readonly [K in keyof P]?: ValueOf<P[K]> | undefined }

/** Options for a task and its world. A world is sufficient, because it has one task. Without any, `withTarget` finds the task. */
export const TASK = {
  featureId: ['--feature <id>', 'the feature (default: that of --world, or the only one with the task)'],
  taskId: ['--task <id>', 'the task (default: that of --world, otherwise of TURNGRAPH_TASK or this folder)'],
  worldSlug: ['--world <slug>', "default: the task's newest"],
} as const
export const POLICY = {
  policy: ['--policy <policy>', 'what counts as verified (default: sticky)', { choices: POLICIES }],
} as const
export const ROLES = { choices: ['player', 'coach'] } as const
export const PAGE = {
  limit: ['--limit <n>', 'one page of at most n items, 1 to 500 (default: all)'],
  cursor: ['--cursor <cursor>', "where the page begins: the last page's next_cursor", { parse: String }],
} as const
export const PROJECT = {
  project: ['--project <project>', 'default: TURNGRAPH_PROJECT, else that of the server'],
} as const
export const ONE_PROJECT = {
  project: ['--project <project>', 'only this project (default: all; TURNGRAPH_PROJECT has no effect)'],
} as const
export const JSON_FORM = { json: ['--json', 'print the wire form alone on standard output'] } as const
export const SHARED = { ...PROJECT, ...JSON_FORM } as const

type Said = { name: string; description: string; help?: string; isDefault?: boolean; hidden?: boolean }
type Declared<A, O> = Said & { arguments?: A; options?: O }
type Of<A, O> = Given<A> & Given<O>
/** Checks that every argument and option of a command is a field of the operation's input or a common option. */
type FieldsOf<P, N extends OperationName> = {
  [K in keyof P]: K extends keyof OperationInput<N> | keyof (Frame & Window & ExitCode) ? unknown : never
}
type ExitCode = { exitCode?: boolean | undefined }
type AddCommand = (parent: Command) => Command

/** Declares a command of one operation. With the option `limit` of PAGE, it reads all pages, or the requested one. */
export const command = <
  N extends OperationName,
  const A extends Parameters = Record<never, never>,
  const O extends Parameters = Record<never, never>,
>(
  declared: Declared<A & FieldsOf<A, N>, O & FieldsOf<O, N>> & {
    operation: N
    also?: Partial<OperationInput<N>>
    print: (answer: OperationOutput<N>, given: Of<A, O>, wire: () => unknown) => Promise<void> | void
    beside?: (answer: OperationOutput<N>, given: Of<A, O>) => void
    part?: AskOptions<N>['part']
  },
): AddCommand =>
  action<A, O>(declared, async (named) => {
    const options: Parameters = declared.options ?? {}
    const given = options.taskId === TASK.taskId ? await withTarget(named) : named
    const { project, json, exitCode: _, ...fields }: Frame & Window & ExitCode = given
    const { limit, cursor, ...unpaged } = fields
    const hasAllPages = options.limit === PAGE.limit
    return ask(
      declared.operation,
      { ...(hasAllPages ? unpaged : fields), ...declared.also } as OperationInput<N>,
      { project, json },
      (answer, wire) => declared.print(answer, given, wire),
      {
        part: declared.part,
        beside: (answer) => declared.beside?.(answer, given),
        window: hasAllPages ? { limit, cursor } : undefined,
      },
    )
  })

export async function withTarget<G extends Target>(given: G): Promise<G> {
  const { chooseTarget } = await import('./folder-task.ts')
  const target = await chooseTarget(given)
  return { ...given, ...Object.fromEntries(Object.entries(target).filter(([, name]) => name !== undefined)) }
}

export const action =
  <const A extends Parameters = Record<never, never>, const O extends Parameters = Record<never, never>>(
    { name, description, isDefault = false, hidden = false, help, ...declared }: Declared<A, O>,
    run: (given: NoInfer<Of<A, O>>) => Promise<void> | void,
  ): AddCommand =>
  (parent) => {
    const added = parent.command(name, { isDefault, hidden }).description(description)
    const takes = Object.entries<Parameter>(declared.arguments ?? {})
    const options = Object.entries<Parameter>(declared.options ?? {}).map(
      ([field, parameter]) => [field, toOption(parameter)] as const,
    )
    for (const [, parameter] of takes) added.addArgument(toArgument(parameter))
    for (const [, option] of options) added.addOption(option)
    if (help !== undefined) added.addHelpText('after', `\n${help}\n`)
    shownNames.set(added, [
      ...takes.map(([field], i) => [field, `<${added.registeredArguments[i]?.name()}>`] as const),
      ...options.map(([field, { long }]) => [field, long ?? ''] as const),
    ])
    return added.action(async () => {
      const values = added.opts()
      const given = [
        ...takes.map(([field], i) => [field, added.processedArgs[i]] as const),
        ...options.map(([field, option]) => [field, values[option.attributeName()]] as const),
      ].filter(([, value]) => value !== undefined)
      await run(Object.fromEntries(given) as Of<A, O>)
    })
  }

/** Option or argument of each field, such as `--turns` or `<world>`, which errors name (reword-errors.ts). */
export const shownNames = new WeakMap<Command, readonly (readonly [field: string, shown: string])[]>()

export const group =
  (
    { name, description, alias, help }: Said & { alias?: string },
    commands: readonly AddCommand[],
  ): AddCommand =>
  (parent) => {
    const added = parent.command(name).description(description)
    if (alias !== undefined) added.alias(alias)
    for (const add of commands) add(added)
    return help === undefined ? added : added.addHelpText('after', `\n${help}\n`)
  }

function toOption([flags, description, takes = {}]: Parameter): Option {
  const option = new Option(flags, description)
  if (takes.required) option.makeOptionMandatory()
  if (takes.conflicts !== undefined) option.conflicts([...takes.conflicts])
  if (takes.choices !== undefined) return option.choices(takes.choices)
  if (takes.default !== undefined) option.default(takes.default)
  const placeholder = /<(.+)>/.exec(flags)?.[1]
  return placeholder === undefined
    ? option
    : option.argParser((takes.parse as Parse) ?? parserFor(placeholder))
}

function toArgument([name, description, takes = {}]: Parameter): Argument {
  const argument = new Argument(name, description)
  if (takes.choices !== undefined) return argument.choices(takes.choices)
  if (takes.default !== undefined) argument.default(takes.default)
  return takes.parse === undefined ? argument : argument.argParser(takes.parse as Parse)
}

type Parse = (text: string, before: unknown) => unknown

const parserFor = (placeholder: string): Parse =>
  placeholder === 'n' || placeholder === 'ms' ? parseWhole : parseName

/** Rejects an empty name, which comes from an unset shell variable. */
function parseName(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It is empty.')
}

/** Parses names with commas between, in the order of `allowed`. */
export function parseSome<T extends string>(text: string, allowed: readonly T[], orElse = ''): T[] {
  const given = text.split(',')
  const some = allowed.filter((name) => given.includes(name))
  if (some.length === new Set(given).size) return some
  throw new InvalidArgumentError(`It must be some of ${allowed.join(',')}, with commas between${orElse}.`)
}

export function parseWhole(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
