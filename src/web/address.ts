// Reads and writes the addresses of the page. Pure: web.md, "Addresses", lists the same addresses.

/** A view of the page with its parameters. */
export type Address =
  | { view: 'projects' }
  | { view: 'sessions'; project: string }
  | { view: 'session'; project: string; world: string }
  | { view: 'turn'; project: string; world: string; turn: number }
  | { view: 'runs'; project: string }
  | { view: 'run'; project: string; run: string }
  | { view: 'patterns'; project: string }
  | { view: 'analyses'; project: string; analysis: string | null }
  | { view: 'compare' }
  | { view: 'query' }
  | { view: 'docs' }
  | { view: 'nowhere' }

export type ViewName = Address['view']
export type ViewAddress = Exclude<Address, { view: 'nowhere' }>

/** Paths of the views. A word in braces is a parameter. */
const PATHS: readonly [view: ViewAddress['view'], path: string][] = [
  ['projects', '/'],
  ['query', '/query'],
  ['docs', '/docs'],
  ['compare', '/compare'],
  ['sessions', '/p/{project}'],
  ['session', '/p/{project}/w/{world}'],
  ['turn', '/p/{project}/w/{world}/t/{turn}'],
  ['runs', '/p/{project}/runs'],
  ['run', '/p/{project}/runs/{run}'],
  ['patterns', '/p/{project}/patterns'],
  ['analyses', '/p/{project}/analyses'],
  ['analyses', '/p/{project}/analyses/{analysis}'],
]

const splitPath = (path: string): string[] => path.split('/').filter((part) => part !== '')
const nameParameter = (part: string): string | undefined => /^\{(\w+)\}$/.exec(part)?.[1]

export function readAddress(pathname: string): Address {
  for (const [view, path] of PATHS) {
    const parameters = matchPath(splitPath(path), splitPath(pathname))
    if (parameters === null) continue
    const { turn } = parameters
    if (turn !== undefined && readCount(turn) === null) break
    const more = { ...(view === 'analyses' && { analysis: null }), ...parameters }
    return { view, ...more, ...(turn !== undefined && { turn: Number(turn) }) } as Address // `PATHS` lists the parameters of each view
  }
  return { view: 'nowhere' }
}

/** Returns the parameters of a path; null if it does not match the pattern or has an invalid percent-escape. */
function matchPath(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null
  const parameters: Record<string, string> = {}
  for (const [i, part] of pattern.entries()) {
    const name = nameParameter(part)
    if (name === undefined && part !== parts[i]) return null
    try {
      if (name !== undefined) parameters[name] = decodeURIComponent(parts[i] ?? '')
    } catch {
      return null // `decodeURIComponent` throws only for an invalid percent-escape
    }
  }
  return parameters
}

/** Reads a positive integer of at most 9 digits; null for any other text. */
export const readCount = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null

export type Search = Readonly<Record<string, string | number | null | undefined>>

/** Writes the path of an address with its filters as the query string; leaves out filters that are null or empty. */
export function writeAddress(address: ViewAddress, search: Search = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value != null && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return pathTo(address) + (text === '' ? '' : `?${text}`)
}

function pathTo({ view, ...given }: ViewAddress): string {
  const parameters = Object.entries(given).filter(([, value]) => value !== null)
  const fits = ([each, path]: (typeof PATHS)[number]) =>
    each === view && splitPath(path).filter(nameParameter).length === parameters.length
  const [, path = '/'] = PATHS.find(fits) ?? []
  return parameters.reduce(
    (written, [name, value]) => written.replace(`{${name}}`, () => encodeURIComponent(String(value))),
    path,
  )
}
