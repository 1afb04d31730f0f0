// Lists the example queries of the documentation with their parameters.
import analyst from '../../../../docs/how-to/analyst.md'

export type Example = { question: string; query: string; params: string }

/** @param project project whose records the examples query */
export const examples = (project: string): Example[] =>
  analyst.map(({ question, query }) => {
    const names = [...query.matchAll(/\$(\w+)/g)].flatMap(([, name]) => name ?? [])
    const params = Object.fromEntries(names.map((name) => [name, name === 'project' ? project : '']))
    return { question, query, params: JSON.stringify(params) }
  })
