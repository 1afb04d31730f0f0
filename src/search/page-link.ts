/** Writes the path of a hit on the page. Pure. */

/** Path of a turn; of a session if the turn is not known; of the project if neither is. */
export function pageLink(project: string, worldSlug: string | null, turn: number | null): string {
  const path = `/p/${encodeURIComponent(project)}`
  if (worldSlug === null) return path
  return `${path}/w/${encodeURIComponent(worldSlug)}${turn === null ? '' : `/t/${turn}`}`
}
