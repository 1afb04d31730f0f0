/** `turngraph restore`: restores the output of `turngraph export`. */

import { plural } from '../core/plural.ts'
import type { FileRestore } from '../maintenance/restore/restore-file.ts'
import { action, JSON_FORM } from './command.ts'
import { printJson, printNote } from './output.ts'

export const addRestore = action(
  {
    name: 'restore',
    description: 'restore what `turngraph export` has written; what stands there already stays as it is',
    arguments: { file: ['<file>', 'the export; - is standard input'] },
    options: { dryRun: ['--dry-run', 'check the file, and write nothing'], ...JSON_FORM },
    help: `Examples:
  turngraph restore backup.jsonl
  turngraph export | TURNGRAPH_STORE=bolt://127.0.0.1:7687 TURNGRAPH_DATA=/tmp/other turngraph restore -

Killed in the middle? The same command again goes on where it was.`,
  },
  async ({ file = '-', dryRun = false, json = false }) => {
    const { restoreFile } = await import('../maintenance/restore/restore-file.ts')
    const { withClient } = await import('./connect.ts')
    const { withProgress } = await import('./progress.ts')
    const { read, bytes, name } = await open(file)
    const report = await withProgress((show) => {
      const options = (label: string) => ({
        name,
        onProgress: (done: number) => bytes !== null && show(label, Math.min(done, bytes), bytes),
      })
      const nobody = { restoreRecords: () => Promise.reject(new Error('a dry run writes nothing')) }
      const check = () => restoreFile(nobody, read(), { ...options('Checking'), dryRun: true })
      const write = async () => {
        // Checks the whole file first, because only its last line proves that it is complete. A stream can be read only once.
        if (bytes !== null) await check()
        return withClient({}, (client) => restoreFile(client, read(), options('Restoring')))
      }
      return dryRun ? check() : write()
    })
    if (!json) return printReport(report)
    const { toSnakeCase } = await import('../core/wire-form.ts')
    printJson(toSnakeCase(report))
  },
)

async function open(
  file: string,
): Promise<{ read: () => AsyncIterable<Buffer>; bytes: number | null; name: string }> {
  if (file === '-') return { read: () => process.stdin, bytes: null, name: 'Standard input' }
  const { createReadStream } = await import('node:fs')
  const { refuseEndless } = await import('./bounded-input.ts')
  const { cannotRead } = await import('./record-file.ts')
  const found = await refuseEndless(file).catch((cause: unknown) => cannotRead(file, cause))
  if (found.isDirectory()) cannotRead(file, Object.assign(new Error(), { code: 'EISDIR' }))
  const read = () => createReadStream(file, { highWaterMark: CHUNK_BYTES })
  return { read, bytes: found.isFile() ? found.size : null, name: file }
}

const CHUNK_BYTES = 256 * 1024

async function printReport({ dryRun, lines, checked, records, redactions }: FileRestore): Promise<void> {
  const { printTable } = await import('./table.ts')
  if (dryRun) {
    printTable(['record', 'in the file'], Object.entries(checked))
    printNote(`The file is whole: ${plural(lines, 'record')}. Nothing was written.`)
    return
  }
  printTable(
    ['record', 'created', 'existing'],
    Object.entries(records).map(([kind, { created, existing }]) => [kind, created, existing]),
  )
  if (redactions > 0) printNote(`${plural(redactions, 'secret')} in the file masked.`)
}
