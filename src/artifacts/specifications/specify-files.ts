/** Reads specification files, groups their criteria by task, and declares them (contract: doors.md, 3). */
import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { asTurngraphError, hasCode, TurngraphError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import { splitCommand } from '../../rules/command-line.ts'
import { compareCodeUnits, normalizeLabel } from '../../rules/labels.ts'
import { rankOfPath } from '../find-task-files.ts'
import { type FoundFile, findSpecificationFiles } from './find-specification-files.ts'
import type { FormatName } from './format-names.ts'
import { chooseFormat, readSpecification } from './formats.ts'
import { type OpenSpecPlace, orderOfPlace, placeOf } from './openspec.ts'
import type { SpecifiedFile, SpecifyReport } from './report.ts'
import { describeExcess, type Stated, type StatedCriterion, StatedList } from './stated.ts'

export type SpecifyTarget = {
  declareCriteria(input: {
    project: string | null
    featureId: string
    taskId: string
    criteria: StatedCriterion[]
    source: { path: string }
  }): Promise<{ version: number; created: boolean; total: number; warnings?: string[] | undefined }>
  getSpecification(input: { project: string | null; featureId: string; taskId: string }): Promise<{
    version: number
    criteria: {
      criterionId: string
      text: string
      kind: string
      command?: string[] | undefined
      tests?: string[] | undefined
    }[]
  }>
}

export type ReadFilesOptions = {
  /** Default: the format that the path and the content of each file show. */
  format?: FormatName | undefined
  nested?: boolean | undefined
  tasks?: boolean | undefined
  featureId?: string | undefined
  taskId?: string | undefined
  /** Reads the content of a path; it rejects what is too large or not a file. */
  readFile: (path: string) => Promise<Buffer>
}

export type DeclaredTask = {
  taskId: string
  version: number
  created: boolean
  total: number
  warnings: readonly string[]
}

type TaskOfFile = {
  file: SpecifiedFile
  entry: SpecifiedFile['tasks'][number]
  stated: StatedCriterion[]
  featureId: string
  taskId: string
  /** True if the flags name the task: several such files state parts of one task. */
  isNamedByFlags: boolean
  /** True if the list is a version of its task, declared after the previous one. */
  isVersion?: boolean
}

export type ReadSpecifications = {
  report: SpecifyReport
  /** The lists that can be declared. */
  declarations: Declaration[]
  /** Number of tasks with such a list: several versions belong to one. */
  taskCount: number
}

export type Declaration = { parts: readonly TaskOfFile[]; criteria: StatedCriterion[] }

/** Reads the files below the paths, and groups their criteria by task. @throws the error of a file if it is the only path */
export async function readSpecificationFiles(
  paths: readonly string[],
  options: ReadFilesOptions,
): Promise<ReadSpecifications> {
  const found = await findSpecificationFiles(paths)
  const files: SpecifiedFile[] = found.refused.map(({ path, reason }) => refusedFile(path, reason))
  const tasks: TaskOfFile[] = []
  const openSpec: OpenSpecFile[] = []
  const add = (read: ReadFile | null) => {
    if (read === null) return
    files.push(read.file)
    for (const task of read.tasks) tasks.push(task)
  }
  for (const each of found.files) {
    const text = await readText(each, each.isNamed && paths.length === 1, options)
    if (typeof text !== 'string') {
      files.push(text)
      continue
    }
    const format = options.format ?? chooseFormat(each.path, text)
    const place = format === 'openspec' ? placeOf(each.path.replaceAll('\\', '/')) : null
    if (place !== null) openSpec.push({ path: each.path, text, place })
    else add(await readFile(each, format, text, options))
  }
  for (const read of await readOpenSpecFiles(openSpec, options)) add(read)
  const declarations = [...groupBy(tasks, keyOf).values()].flatMap(toDeclarations)
  const taskCount = new Set(declarations.flatMap(({ parts }) => parts.map(keyOf))).size
  return { report: { files }, declarations, taskCount }
}

const keyOf = ({ featureId, taskId }: TaskOfFile): string => JSON.stringify([featureId, taskId])

const groupByTask = (declarations: readonly Declaration[]): Iterable<Declaration[]> =>
  groupBy(declarations, ({ parts: [first] }) => (first === undefined ? '' : keyOf(first))).values()

/** Declares the criteria of files. Reports a rejected task in `refused`, and declares the others. */
export async function declareSpecifications(
  client: SpecifyTarget,
  { declarations }: ReadSpecifications,
  { project = null }: { project?: string | null | undefined },
): Promise<DeclaredTask[]> {
  const declared: DeclaredTask[] = []
  for (const versions of groupByTask(declarations)) {
    const isSeries = versions.length > 1
    const present = isSeries ? await findDeclaredVersions(client, versions, project) : 0
    for (const each of versions.slice(present)) declared.push(...(await declare(client, each, project)))
  }
  return declared
}

/** Returns true if the newest version of each task in the graph equals the newest list of its files. Writes nothing. */
export async function isAllDeclared(
  client: Pick<SpecifyTarget, 'getSpecification'>,
  { declarations }: ReadSpecifications,
  { project = null }: { project?: string | null | undefined },
): Promise<boolean> {
  for (const versions of groupByTask(declarations))
    if ((await findDeclaredVersions(client, versions, project)) < versions.length) return false
  return true
}

/** Returns how many of the versions are already declared. Without this, a repetition would declare all of them again. */
async function findDeclaredVersions(
  client: Pick<SpecifyTarget, 'getSpecification'>,
  versions: readonly Declaration[],
  project: string | null,
): Promise<number> {
  const [first] = versions[0]?.parts ?? []
  if (first === undefined) return 0
  const task = { project, featureId: first.featureId, taskId: first.taskId }
  const newest = await client.getSpecification(task).catch((error: unknown) => {
    if (hasCode(error, 'not_found')) return null
    throw error
  })
  const listed = newest?.criteria.map(({ criterionId, text, kind, command, tests }) => ({
    criterionId,
    text,
    kind,
    ...(command !== undefined && { command }),
    ...(tests !== undefined && { tests }),
  }))
  const last = versions.findLastIndex(({ criteria }) => isDeepStrictEqual(criteria.map(toReported), listed))
  for (const { entry } of versions[last]?.parts ?? []) entry.version = newest?.version ?? null
  return last + 1
}

const refusedFile = (path: string, refused: string): SpecifiedFile => ({
  path,
  format: null,
  tasks: [],
  warnings: [],
  refused,
})

async function readText(
  { path }: FoundFile,
  isOnly: boolean,
  options: ReadFilesOptions,
): Promise<string | SpecifiedFile> {
  try {
    return toText(await options.readFile(path), path)
  } catch (error) {
    if (isOnly) throw error
    return refusedFile(path, withoutPath(asTurngraphError(error).message, path))
  }
}

type ReadFile = { file: SpecifiedFile; tasks: TaskOfFile[] }

async function readFile(
  { path, isNamed }: FoundFile,
  format: FormatName,
  text: string,
  options: ReadFilesOptions,
): Promise<ReadFile | null> {
  const { featureId = null, nested = false, tasks = false } = options
  const stated = await readSpecification(format, text, { nested, tasks, path, featureId })
  const isOther =
    format === 'markdown' && stated.tasks.length === 0 && stated.warnings.length === 0 && !stated.isTooLong
  return isOther && !isNamed ? null : nameTasks(path, format, stated, options)
}

type OpenSpecFile = { path: string; text: string; place: OpenSpecPlace }

/** Reads the files of each capability in their order, each with the earlier ones. */
async function readOpenSpecFiles(
  files: readonly OpenSpecFile[],
  options: ReadFilesOptions,
): Promise<ReadFile[]> {
  const read: ReadFile[] = []
  for (const group of groupBy(files, ({ place }) =>
    JSON.stringify([place.root, place.capability]),
  ).values()) {
    const sorted = group.toSorted((a, b) => compareCodeUnits(orderOfPlace(a.place), orderOfPlace(b.place)))
    let earlier: string[] = []
    for (const { path, text, place } of sorted) {
      const isFirstChange = place.change !== null && !place.isArchived && earlier.length === 0
      if (isFirstChange) earlier = await readBase(place, options)
      const stated = await readSpecification('openspec', text, { path, earlier })
      const named = nameTasks(path, 'openspec', stated, options)
      read.push({ ...named, tasks: named.tasks.map((task) => ({ ...task, isVersion: true })) })
      earlier = place.change === null ? [text] : [...earlier, text]
    }
  }
  return read
}

/** The specification that a change changes, if only the change is to be read. */
async function readBase({ root, capability }: OpenSpecPlace, options: ReadFilesOptions): Promise<string[]> {
  const path = `${root}specs/${capability}/spec.md`
  const text = await readText({ path, isNamed: false }, false, options)
  return typeof text === 'string' ? [text] : []
}

function toText(bytes: Buffer, path: string): string {
  const shown = path === '-' ? 'Standard input' : path
  const refuse = (message: string, hint: string) =>
    new TurngraphError('invalid_request', `${shown} ${message}.`, { hint })
  if (!isUtf8(bytes)) throw refuse('is not UTF-8', 'Save it as UTF-8.')
  const text = bytes.toString('utf8')
  if (text.includes('\0')) throw refuse('holds NUL characters', 'Name a text file.')
  return text
}

const withoutPath = (message: string, path: string): string =>
  message.replace(`${path} `, '').replace(/\.$/, '')

/** Determines the tasks of a file: those that it names, otherwise the task of the flags. */
function nameTasks(
  path: string,
  format: FormatName,
  { tasks: stated, warnings, refused }: Stated,
  { featureId: featureFlag, taskId: taskFlag }: ReadFilesOptions,
): { file: SpecifiedFile; tasks: TaskOfFile[] } {
  const file: SpecifiedFile = { path, format, tasks: [], warnings, ...(refused !== undefined && { refused }) }
  const tasks: TaskOfFile[] = []
  const missing = new Set<string>()
  for (const { criteria, ...own } of stated) {
    const [featureId, taskId] = [own.featureId ?? featureFlag ?? null, own.taskId ?? taskFlag ?? null]
    const entry: SpecifiedFile['tasks'][number] = {
      featureId,
      taskId,
      version: null,
      criteria: criteria.map(toReported),
    }
    file.tasks.push(entry)
    if (featureId === null) missing.add('feature_id')
    if (taskId === null) missing.add('id')
    if (featureId !== null && taskId !== null)
      tasks.push({ file, entry, stated: criteria, featureId, taskId, isNamedByFlags: own.taskId === null })
  }
  if (missing.size > 0) file.refused = `names no ${[...missing].join(' and no ')}`
  if (stated.some(({ featureId }) => isUnused(featureFlag, featureId)))
    warnings.push({ line: null, message: '--feature is not used: the file itself names the feature' })
  if (stated.some(({ taskId }) => isUnused(taskFlag, taskId)))
    warnings.push({ line: null, message: '--task is not used: the file itself names its tasks' })
  return { file, tasks }
}

/** The feature of a format may begin with the feature of the flag. */
const isUnused = (flag: string | undefined, own: string | null): boolean =>
  flag !== undefined && own !== null && own !== flag && !own.startsWith(`${flag}/`)

const toReported = (
  { criterionId, text, command, kind = command === undefined ? 'code' : 'command', tests }: StatedCriterion,
  place: number,
) => ({
  criterionId: criterionId ?? normalizeLabel(`AC-${place + 1}`),
  text,
  kind,
  ...(command !== undefined && { command: toArgv(command) }),
  ...(tests !== undefined && { tests }),
})

/** The program and arguments of a command. A text that cannot be split is refused when it is declared. */
function toArgv(command: string | string[]): string[] {
  if (typeof command !== 'string') return command
  const split = splitCommand(command)
  return 'argv' in split ? split.argv : [command]
}

/** Joins the lists of the files of one task: versions, parts of one list, or copies, one of which counts. */
function toDeclarations(group: readonly TaskOfFile[]): Declaration[] {
  if (group.every(({ isVersion }) => isVersion))
    return group.map((task) => ({ parts: [task], criteria: task.stated }))
  const parts = group.every(({ isNamedByFlags }) => isNamedByFlags) ? group : [chooseCopy(group)]
  const [first, ...others] = parts
  if (first === undefined) return []
  const criteria = others.length === 0 ? first.stated : joinParts(parts)
  const reported = criteria.map(toReported)
  for (const { entry, stated } of parts) {
    const texts = new Set(stated.map(({ text }) => text))
    entry.criteria = reported.filter(({ text }) => texts.has(text))
  }
  const refused = describeExcess(criteria)
  if (refused !== null) refuse(parts, refused)
  return refused === null ? [{ parts, criteria }] : []
}

async function declare(
  client: SpecifyTarget,
  { parts, criteria }: Declaration,
  project: string | null,
): Promise<DeclaredTask[]> {
  const [first] = parts
  if (first === undefined) return []
  const { featureId, taskId, file } = first
  try {
    const source = { path: file.path }
    const input = { project, featureId, taskId, criteria: [...criteria], source }
    const { version, created, total, warnings = [] } = await client.declareCriteria(input)
    for (const { entry } of parts) entry.version = version
    return [{ taskId, version, created, total, warnings }]
  } catch (error) {
    const { status, message } = asTurngraphError(error)
    if (!OF_THE_FILE.has(status)) throw error
    refuse(parts, `is not declared: ${message.replace(/\.$/, '')}`)
    return []
  }
}

/** Errors that concern one task. Others, such as an unavailable graph, would refuse every task. */
const OF_THE_FILE: ReadonlySet<number> = new Set([400, 409, 410, 413])

function refuse(tasks: readonly TaskOfFile[], reason: string): void {
  for (const { file } of tasks) file.refused ??= reason
}

/** Chooses one of several files that name the same task: by the folder of its state, then by the order of the paths. */
function chooseCopy(group: readonly TaskOfFile[]): TaskOfFile {
  const [first, ...others] = [...group].sort((a, b) => rankOfPath(a.file.path) - rankOfPath(b.file.path))
  if (first === undefined) throw new RangeError('a group has a task')
  for (const { file, stated, taskId } of others) {
    const isSame = isDeepStrictEqual(stated, first.stated)
    const message = `${taskId} is read from ${first.file.path}, which states ${isSame ? 'the same' : 'other criteria'}`
    if (isSame) file.warnings.push({ line: null, message })
    else file.refused ??= message
  }
  return first
}

/** Joins the criteria of several files for the task that the flags name. */
function joinParts(parts: readonly TaskOfFile[]): StatedCriterion[] {
  const warnings: SpecifiedFile['warnings'] = []
  const list = new StatedList(warnings)
  for (const [place, { stated, file }] of parts.entries()) {
    for (const { criterionId = null, ...criterion } of stated)
      list.add({ ...criterion, criterionId, line: null, section: `F${place + 1}` })
    for (const warning of warnings.splice(0)) file.warnings.push(warning)
  }
  const criteria = list.toCriteria()
  for (const warning of warnings) parts[0]?.file.warnings.push(warning)
  return criteria
}
