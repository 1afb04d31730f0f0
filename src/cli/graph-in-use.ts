/** Remembers which graph the command that runs in this process asks, for the texts that name it. */
let name: string | null = null
let news: string | null = null

/** @param said what the user should hear of it once the command has answered */
export function setGraphInUse(graph: string, said: string | null = null): void {
  name = graph
  news = said
}

/** Such as `the graph in ./.turngraph`; null before a command has looked for one. */
export const graphInUse = (): string | null => name

/** Such as that a folder has no graph yet: said once, after an answer or an error, never before it. */
export function takeNewsOfGraph(): string | null {
  const taken = news
  news = null
  return taken
}
