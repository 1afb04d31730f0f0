/** The formats of specifications. The path of a file and its content decide which one it has. Pure. */
import { TooManyBlocks } from '../markdown-lines.ts'
import { readBacklog } from './backlog.ts'
import { readBeads } from './beads.ts'
import type { FormatName } from './format-names.ts'
import { readGherkin } from './gherkin.ts'
import { isIssue, readGithubIssue } from './github-issue.ts'
import { parseSource, readJson } from './json.ts'
import { readKiro } from './kiro.ts'
import { readMarkdown } from './markdown.ts'
import { placeOf, readOpenSpec } from './openspec.ts'
import { readSpecKit } from './spec-kit.ts'
import type { ReadOptions, Stated } from './stated.ts'
import { listTags, readTaskMaster } from './task-master.ts'

const READERS: Readonly<
  Record<FormatName, (source: string, options: ReadOptions) => Stated | Promise<Stated>>
> = {
  markdown: readMarkdown,
  kiro: readKiro,
  openspec: readOpenSpec,
  'spec-kit': readSpecKit,
  gherkin: readGherkin,
  backlog: readBacklog,
  beads: readBeads,
  'task-master': readTaskMaster,
  'github-issue': readGithubIssue,
  json: readJson,
}

export async function readSpecification(
  format: FormatName,
  source: string,
  options: ReadOptions,
): Promise<Stated> {
  try {
    return await READERS[format](source, { ...options, path: toPosix(options.path) })
  } catch (error) {
    if (!(error instanceof TooManyBlocks)) throw error
    return { tasks: [], warnings: [], refused: error.message, isTooLong: true }
  }
}

export function chooseFormat(path: string, source: string): FormatName {
  const place = toPosix(path)
  if (place.endsWith('.jsonl')) return 'beads'
  if (place.endsWith('.feature')) return 'gherkin'
  return place.endsWith('.json') ? chooseJsonFormat(source) : chooseMarkdownFormat(place, source)
}

const toPosix = (path: string): string => path.replaceAll('\\', '/')

function chooseJsonFormat(source: string): FormatName {
  const { value } = parseSource(source)
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (isIssue(first)) return 'github-issue'
  if (Array.isArray(value) && typeof first === 'object' && first !== null) return 'beads'
  return listTags(value).length > 0 ? 'task-master' : 'json'
}

function chooseMarkdownFormat(path: string, source: string): FormatName {
  if (/(?:^|\/)\.kiro\/specs\/[^/]+\/(?:requirements|bugfix)\.md$/.test(path)) return 'kiro'
  if (/(?:^|\/)specs\/\d{3,}[\w-]*\/(?:spec|tasks)\.md$/.test(path)) return 'spec-kit'
  const isOfOpenSpec = /(?:^|\/)(?:openspec|changes)\//.test(path) && placeOf(path) !== null
  if (isOfOpenSpec || OPENSPEC.every((heading) => heading.test(source))) return 'openspec'
  if (/(?:^|\/)(?:requirements|bugfix)\.md$/.test(path) && KIRO.test(source)) return 'kiro'
  if (SPEC_KIT.test(source)) return 'spec-kit'
  const isOfBacklog = /(?:^|\/)backlog\/(?:tasks|drafts|completed|archive)\/.*\/?[^/]+ - [^/]+\.md$/.test(
    path,
  )
  return isOfBacklog || source.includes('<!-- AC:BEGIN -->') ? 'backlog' : 'markdown'
}

/** Headings of OpenSpec. A file counts as OpenSpec only if it has both, because any task file may have one of them. */
const OPENSPEC = [/^#{3,4} Requirement:/m, /^#{3,4} Scenario:/m]
const KIRO = /^#{2,4} \p{L}[\p{L} ]{0,30}?\d+|^\d+\.\d+\.? (?:WHEN|THE|IF)\b/mu
const SPEC_KIT = /^\*\*Feature Branch\*\*:|^## User Scenarios/m
