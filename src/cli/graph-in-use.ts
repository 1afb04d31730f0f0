/** Remembers the graph of the running command, for messages that name it. */
let name: string | null = null
let news: string | null = null

export function setGraphInUse(graph: string | null, said: string | null = null): void {
  name = graph
  news = said
}

/** Returns a name such as `the graph in ./.turngraph`; null before a command has opened a graph. */
export const graphInUse = (): string | null => name

/** Returns the note once, such as a missing graph. It is printed after an answer or an error, never before. */
export function takeNewsOfGraph(): string | null {
  const taken = news
  news = null
  return taken
}
