/** Adds lines of Turngraph between two markers at the end of a text file, and finds and removes them. */

/** Part of a file that Turngraph adds. `find` returns null if the file has none. `isWhole` is false if it must be added again. */
export type OwnPart = {
  find(text: string): string | null
  isWhole?(text: string): boolean
  remove(text: string): string
}

type Markers = { start: string; end: string }

/** Markers in Markdown, which readers of the rendered text do not see. */
export const IN_MARKDOWN: Markers = { start: '<!-- turngraph -->', end: '<!-- /turngraph -->' }
export const IN_TOML: Markers = { start: '# turngraph', end: '# /turngraph' }

/** Appends lines between the markers, after an empty line. */
export function addMarkedLines(text: string, lines: readonly string[], { start, end }: Markers): string {
  const eol = lineEndOf(text)
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol
  return `${text}${gap}${[start, ...lines, end, ''].join(eol)}`
}

/** Finds and removes the lines between the markers, with the markers. Also removes the empty line above them. */
export const markedPart = (markers: Markers): OwnPart => ({
  find: (text) => {
    const place = findPlace(text, markers)
    return place && text.slice(place.from, place.to)
  },
  remove: (text) => {
    const place = findPlace(text, markers)
    if (place === null) return text
    const eol = lineEndOf(text)
    const before = text.slice(0, place.from)
    const rest = before.endsWith(eol + eol) ? before.slice(0, -eol.length) : before
    return rest + text.slice(place.to)
  },
})

function findPlace(text: string, { start, end }: Markers): { from: number; to: number } | null {
  const lines = text.split('\n')
  const isMarker = (line: string, marker: string) => line.trimEnd() === marker
  const first = lines.findIndex((line) => isMarker(line, start))
  const last = first < 0 ? -1 : lines.findIndex((line, i) => i > first && isMarker(line, end))
  if (last < 0) return null
  const offsetOf = (index: number) => lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0)
  return { from: offsetOf(first), to: Math.min(offsetOf(last + 1), text.length) }
}

const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')
