/** Finds the files of a claim that git shows as unchanged (contract: evidence.md). These files make no proof stale. Pure. */
import { projectPath } from '../core/project-paths.ts'
import type { FILES_SOURCES } from './values.ts'

/** Fields of a turn that claim and deny changes of files. */
export type FileClaim = {
  filesModified: readonly string[]
  filesSource: (typeof FILES_SOURCES)[number] | null
  issues: readonly { description: string }[]
}

/** The word `git`, not a part of a path. */
const GIT = /(?<![\w./-])git(?![\w/]|\.\w)/i

/** Words for an absent change in the output of git. */
const NO_CHANGE =
  /\b(?:no (?:[a-z]+ ){0,2}(?:changes?|diffs?|differences?|modifications?)|unmodified|unchanged|not (?:[a-z]+ ){0,2}(?:modified|changed|touched)|(?:empty|zero) diff|diff is empty)\b/i

/** A record of GuardKit's check of claims. */
const GUARDKIT_RECORD =
  /\bPlayer claimed file (\S.{0,400}?)\. (?:Actual: )?Path is tracked in git but .{0,60}?shows no change/g

const SENTENCE_END = /(?<=[.!?;])\s+|\n/
/** Begins a part of a sentence that is about other files. */
const CONTRAST =
  /\b(but|yet|however|while|whereas|although|though|except|only|other than|apart from|aside from|besides|beyond|outside)\b/i
/** Ends the part of a sentence that reports the changes of other files: "git shows a.ts modified and b.ts unchanged". */
const CHANGED = /\b(?:added|changed|created|edited|modified|updated)\b/i
/** Begins a part of a sentence that may deny the files before it. */
const DENYING_CONTRAST = /^(?:but|yet|however)$/i
/** Words of a request or a condition, which is not a report of git. */
const NOT_A_REPORT =
  /\b(?:should|must|shall|ought|would|could|may|might|ensure|make sure|verify|check|confirm|expect|expected|expects|if|until|unless|wants?|needs?)\b/i
/** An object that is not a file: "no change to its tests" does not deny the files before it. */
const OTHER_OBJECT =
  /^['"`]?\s+(?:for|to|in|of|on|under|at)\s+(?!(?:it|them|this|these|those|that|the (?:files?|paths?)|any of|either|both|all|turn|['"`]?git)\b)/i

/** Separates the words of a sentence. A path may contain all other characters. */
const BETWEEN_WORDS = /[\s,()[\]{}<>"'`|]+/
const MARKS_BEHIND = /(?<![.:;!?*])[.:;!?*]+$/
const LINE_NUMBER = /(?::\d{1,7}){1,2}$/

/** Finds the files that an issue denies. Returns none if the list comes from git, because then it is a fact. */
export function findDeniedFiles({ filesModified, filesSource, issues }: FileClaim): string[] {
  if (filesModified.length === 0 || filesSource === 'git') return []
  const claimed = new Set(filesModified.flatMap((file) => projectPath(file) ?? []))
  const denied = new Set(
    issues.flatMap(({ description }) => (GIT.test(description) ? listDenied(description, claimed) : [])),
  )
  return denied.size === 0 ? [] : filesModified.filter((file) => denied.has(projectPath(file) ?? ''))
}

function listDenied(text: string, claimed: ReadonlySet<string>): string[] {
  const recorded = [...text.matchAll(GUARDKIT_RECORD)].flatMap(([, file = '']) => projectPath(file) ?? [])
  const named = text.split(SENTENCE_END).flatMap((sentence) => listDeniedInSentence(sentence, claimed))
  return [...recorded, ...named]
}

function listDeniedInSentence(sentence: string, claimed: ReadonlySet<string>): string[] {
  if (!GIT.test(sentence)) return []
  // Parts are at even positions, the words between them at odd positions.
  const parts = sentence.split(CONTRAST)
  return parts.flatMap((part, i) => {
    const found = i % 2 === 0 ? NO_CHANGE.exec(part) : null
    if (found === null) return []
    const before = part.slice(0, found.index)
    const after = part.slice(found.index + found[0].length)
    if (NOT_A_REPORT.test(before)) return []
    const behind = listClaimedPaths(after, claimed)
    if (behind.length > 0) return behind
    if (OTHER_OBJECT.test(after)) return []
    const named = listClaimedPaths(before.split(CHANGED).at(-1) ?? '', claimed)
    const ahead = named.length > 0 ? named : listClaimedPaths(before, claimed)
    if (ahead.length > 0 || !DENYING_CONTRAST.test(parts[i - 1] ?? '')) return ahead
    return listClaimedPaths(parts[i - 2] ?? '', claimed)
  })
}

function listClaimedPaths(text: string, claimed: ReadonlySet<string>): string[] {
  return text.split(BETWEEN_WORDS).flatMap((word) => {
    const path = projectPath(word.slice(0, MAX_PATH).replace(MARKS_BEHIND, '').replace(LINE_NUMBER, ''))
    return path !== null && claimed.has(path) ? [path] : []
  })
}

/** Maximum length of a path in a text. */
const MAX_PATH = 1_000
