/** Lists the files and folders that `turngraph init` leaves out, each with the reason and the remedy. */
import { accessSync, constants, lstatSync } from 'node:fs'
import type { SpecifiedFile } from '../../artifacts/specifications/report.ts'
import { EXIT } from '../../core/exit-codes.ts'
import { plural } from '../../core/plural.ts'
import { isGone } from '../../core/system-code.ts'
import { quoteForShell } from '../../rules/command-line.ts'
import { toOneLine } from '../../rules/foreign-text.ts'
import { printNote } from '../output.ts'
import { remedyFor } from '../specification-remedy.ts'

type LeftOut = { file: string; reason: string; remedy: string | null }

const MAX_NAMED = 10

type Skipped = readonly { file: string; reason: string }[]

export class LeftOutFiles {
  readonly #files = new Map<string, LeftOut>()
  readonly #unreadable = new Set<string>()
  #printed = 0
  #named = 0

  get count(): number {
    return this.#files.size
  }

  get files(): LeftOut[] {
    return [...this.#files.values()]
  }

  get hasUnreadable(): boolean {
    return this.#unreadable.size > 0
  }

  addSkipped(skipped: Skipped): void {
    for (const each of skipped) this.#add({ ...each, remedy: null })
  }

  addSpecifications(files: readonly SpecifiedFile[]): void {
    for (const file of files)
      if (file.refused !== undefined)
        this.#add({ file: file.path, reason: file.refused, remedy: remedyFor(file) })
  }

  /** Adds a file once, because several readers report the same folder. */
  #add(left: LeftOut): void {
    if (this.#files.has(left.file)) return
    const isReadable = mayRead(left.file)
    if (!isReadable) this.#unreadable.add(left.file)
    this.#files.set(left.file, isReadable ? left : { ...left, remedy: READ_REMEDY })
  }

  /** Prints the files that were added since the last call, unreadable files first, and the number of files above the limit. */
  print(folder: string): void {
    const added = [...this.#files.values()].slice(this.#printed)
    this.#printed = this.#files.size
    const sorted = added.toSorted((a, b) => this.#rank(a) - this.#rank(b))
    const named = sorted.slice(0, MAX_NAMED - this.#named)
    this.#named += named.length
    for (const { file, reason, remedy } of named)
      printNote(
        toOneLine(`Left out: ${file} ${reason.replace(/\.$/, '')}.${remedy === null ? '' : ` ${remedy}`}`),
      )
    if (sorted.length > named.length)
      printNote(`Left out: ${plural(sorted.length - named.length, 'other file')}. ${listCommands(folder)}`)
  }

  /** Orders files that cannot be read first, then `.feature` files, which are always specifications. */
  #rank({ file }: LeftOut): number {
    if (this.#unreadable.has(file)) return 0
    return file.endsWith('.feature') ? 1 : 2
  }

  setExitCode(): void {
    if (this.hasUnreadable) process.exitCode = EXIT.found.code
  }
}

const READ_REMEDY = 'Allow this user to read it, and run the command again.'

const listCommands = (folder: string): string => {
  const shown = quoteForShell(folder)
  return `To list all of them, run \`turngraph import autobuild ${shown} --dry-run\`, \`turngraph specify ${shown} --dry-run\` and \`turngraph import transcripts --dry-run\`.`
}

/** Checks whether this user may read a file or list a folder. Does not follow links. A deleted file counts as readable. */
function mayRead(file: string): boolean {
  try {
    const found = lstatSync(file)
    if (!found.isSymbolicLink())
      accessSync(file, found.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK)
    return true
  } catch (error) {
    return isGone(error)
  }
}
