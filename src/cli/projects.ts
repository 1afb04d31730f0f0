/** `turngraph projects`: lists the projects of the graph. */
import type { Command } from 'commander'
import { graphInUse } from './graph-in-use.ts'
import { type PageOptions, withJson, withPage } from './options.ts'
import { printJson, printNote } from './output.ts'

export function addProjects(program: Command): void {
  const projects = program
    .command('projects')
    .description('list the projects of the graph')
    .addHelpText('after', "\nExample:\n  turngraph projects --json | jq -r '.items[].project'\n")
    .action(listProjects)
  withJson(withPage(projects))
}

async function listProjects({ json, ...page }: PageOptions & { json?: boolean }): Promise<void> {
  const [{ withClient }, { readPages }, { operations }, { toWire }] = await Promise.all([
    import('./connect.ts'),
    import('./pages.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  const found = await withClient({ project: undefined, readsOnly: true }, (client) =>
    readPages(page, (window) => client.listProjects(window)),
  )
  if (json) return printJson(toWire(operations.listProjects.output, found))
  if (found.items.length === 0) printNote(`There are no projects in ${graphInUse()}.`)
  else {
    const { printTable } = await import('./table.ts')
    printTable(
      ['project'],
      found.items.map(({ project }) => [project]),
    )
  }
  if (found.nextCursor !== null) printNote(`More: --cursor ${found.nextCursor}`)
}
