/** Remembers which graph the command that runs in this process asks, for the texts that name it. */
let name: string | null = null

export function setGraphInUse(graph: string): void {
  name = graph
}

/** Such as `the graph in ./.turngraph`; null before a command has looked for one. */
export const graphInUse = (): string | null => name
