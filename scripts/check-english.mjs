// Checks comments, documents and test names against the rules of plain English that a script can check.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Share of the lines that may break a rule: a script cannot know the meaning of each word. */
const MAX_SHARE = 0.005

const STARTS =
  /(?:^|[.!?:] )(?:What|Whether|Of|That|Who|Whoever|One|Those|Which|None|Nothing|Nobody)\b(?! (?:if|about|happens if)\b)/
const WORDS =
  /\b(?:stands?|stood|goes|tells?|told|says? of|said of|beside|anew|meanwhile|so many|by itself|at work|is none|else(?! (?:if|\{)))\b/

const GENERATED =
  /_generated|_secrets?(?:_rules)?\.py$|gitleaks-rules|docs\/(?:reference|graph)\.md$|CHANGELOG\.md$/
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:tsx?|mjs|cypher|md|py)$/.test(file) && !GENERATED.test(file))

/** The text of a comment, a document's line or a test's name; null for code. */
function textOf(line, extension, isFenced) {
  if (extension === '.md') return isFenced || line.startsWith('|--') ? null : line.replace(/`[^`]*`/g, '`x`')
  const test = /^\s*(?:test|describe|it)(?:\.\w+\(.*\))?\(\s*['"](.*?)['"],/.exec(line)
  if (test !== null) return test[1]
  const comment =
    extension === '.py'
      ? /^\s*(?:#|""")\s*(.*)/.exec(line)
      : /^\s*(?:\/\/|\/\*\*?|\*(?!\/))\s?(.*?)(?:\*\/)?$/.exec(line)
  return comment === null ? null : comment[1].replace(/`[^`]*`/g, '`x`').replace(/"[^"]*"/g, '"x"')
}

const broken = []
const counts = new Map()
let lines = 0
for (const file of files) {
  let isFenced = false
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.startsWith('```')) isFenced = !isFenced
    const text = textOf(line, path.extname(file), isFenced)
    if (text === null || text.trim() === '' || text.startsWith('@example')) continue
    lines++
    const folder = file.split('/').slice(0, 2).join('/')
    const count = counts.get(folder) ?? { lines: 0, broken: 0 }
    counts.set(folder, count)
    count.lines++
    const isQuestion = text.trimEnd().endsWith('?')
    const rule = !isQuestion && STARTS.test(text) ? 2 : WORDS.test(text) ? 6 : null
    if (rule === null) continue
    count.broken++
    broken.push(`${file}:${index + 1}: rule ${rule}: ${text.trim()}`)
  }
}

const share = broken.length / lines
if (process.argv.includes('--list')) console.log(broken.join('\n'))
if (process.argv.includes('--folders'))
  for (const [folder, count] of counts) console.log(`${count.broken}\t${count.lines}\t${folder}`)
console.log(
  `${broken.length} of ${lines} lines break a rule of plain English (${(100 * share).toFixed(1)} %)`,
)
if (share > MAX_SHARE) process.exitCode = 1
