/** Prints the Cypher of a named analysis, ready to paste into Neo4j Browser and into `turngraph query`. */
import { printJson, printText } from './output.ts'
import { paramLine } from './param-lines.ts'

type ShowOptions = {
  name: string
  featureId?: string | undefined
  taskId?: string | undefined
  worldSlug?: string | undefined
  limit?: number | undefined
}

export async function showCypher(
  { limit = 100, ...request }: ShowOptions,
  { project, json }: { project?: string; json?: boolean },
): Promise<void> {
  const [{ prepareAnalysis }, { loadConfig }] = await Promise.all([
    import('../analysis/named-analyses.ts'),
    import('../platform/config.ts'),
  ])
  const config = loadConfig({ ...process.env, ...(project !== undefined && { TURNGRAPH_PROJECT: project }) })
  const { question, about, cypher, params } = prepareAnalysis({ ...request, limit, project: config.project })
  if (json) return printJson({ cypher, params })
  const comments = [question, about].filter((line) => line !== '').map((line) => `// ${line}`)
  const declared = Object.entries(params).map(([name, value]) => paramLine(name, value))
  printText([...comments, ...declared, `${cypher};`].join('\n'))
}
