import type { Command } from 'commander'
import { named } from './options.ts'
import { counted, printNote } from './output.ts'

type ExportOptions = { project?: string; since?: string; pairs?: boolean; out?: string }

export function addExport(program: Command): void {
  program
    .command('export')
    .description('write the graph as JSON lines, to be restored elsewhere: all projects, or one')
    .option(
      '--project <project>',
      'this project alone (default: all; TURNGRAPH_PROJECT does not count)',
      named,
    )
    .option('--since <instant>', 'whole worlds and transcript sessions that moved since')
    .option('--pairs', "a training set: a line for each turn with a Coach's verdict, with what led to it")
    .option(
      '--out <file>',
      'where to write; it appears there once it is whole (default: standard output)',
      named,
    )
    .addHelpText(
      'after',
      `
Examples:
  turngraph export > backup.jsonl
  turngraph export --project shop --out shop.jsonl
  turngraph export --project shop --pairs > training.jsonl
`,
    )
    .action(exportTo)
}

async function exportTo({ project, since, pairs = false, out }: ExportOptions): Promise<void> {
  const [{ withClient }, { exportLines, pagesOf }] = await Promise.all([
    import('./connect.ts'),
    import('../maintenance/export/export-lines.ts'),
  ])
  const asked = { since: since ?? null, content: pairs ? ('pairs' as const) : ('records' as const) }
  await withClient({ project, readsOnly: true }, async (client) => {
    const read = (cursor: string | null) =>
      project === undefined
        ? client.exportGraphPage({ ...asked, cursor })
        : client.exportPage({ ...asked, project, cursor })
    const lines = pairs ? pagesOf(read) : exportLines(read)
    await writeLines(lines, out)
  })
}

async function writeLines(lines: AsyncIterable<string>, out: string | undefined): Promise<void> {
  const [{ pipeline }, { Readable }] = await Promise.all([
    import('node:stream/promises'),
    import('node:stream'),
  ])
  let written = 0
  /** Lines come as fast as they are taken: no more than a page of them waits. */
  const writeTo = (stream: NodeJS.WritableStream, options: { end: boolean }): Promise<void> =>
    pipeline(Readable.from(ended(lines, () => written++)), stream, options)
  if (out === undefined) return writeTo(process.stdout, { end: false })

  const { createWriteStream } = await import('node:fs')
  const { rename, rm } = await import('node:fs/promises')
  // Under its own name only once it is whole: the last good one is not overwritten by half of the next.
  const partial = `${out}.partial`
  try {
    await writeTo(createWriteStream(partial, { mode: 0o600 }), { end: true })
    await rename(partial, out)
    printNote(`Wrote ${counted(written, 'line')} to ${out}.`)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function* ended(lines: AsyncIterable<string>, count: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    count()
    yield `${line}\n`
  }
}
