/** `turngraph projects`: lists the projects of the graph. */
import { command, JSON_FORM, PAGE } from './command.ts'
import { graphInUse } from './graph-in-use.ts'
import { printList } from './output.ts'

export const addProjects = command({
  name: 'projects',
  description: 'list the projects of the graph',
  operation: 'listProjects',
  options: { ...PAGE, ...JSON_FORM },
  help: "Example:\n  turngraph projects --json | jq -r '.items[].project'",
  print: ({ items }) => printList(items, `There are no projects in ${graphInUse()}.`, { project: 'project' }),
})
