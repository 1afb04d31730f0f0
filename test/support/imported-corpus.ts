import { importAutobuild } from '../../src/artifacts/import.ts'
import type { ImportReport } from '../../src/artifacts/import-report.ts'
import { corpusRepositories } from './corpus.ts'
import { memory } from './embedded-engines.ts'
import { clientOf } from './records.ts'

type Imported = { client: ReturnType<typeof clientOf>; project: string; report: ImportReport }

let imported: ReturnType<typeof importAll> | null = null

/**
 * Imports each repository twice into one graph: with its specifications and without them. Several test files share the graph,
 * so tests must only read it.
 */
export function importCorpus(): ReturnType<typeof importAll> {
  imported ??= importAll()
  return imported
}

async function importAll() {
  const graph = await memory.open()
  const into = async (project: string, root: string, specifications: boolean): Promise<Imported> => {
    const client = clientOf(graph, project)
    return { client, project, report: await importAutobuild(client, [root], { specifications }) }
  }
  const repositories: { name: string; declared: Imported; undeclared: Imported }[] = []
  for (const { name, root } of corpusRepositories())
    repositories.push({
      name,
      declared: await into(name, root, true),
      undeclared: await into(`${name}, undeclared`, root, false),
    })
  return { graph, repositories }
}
