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
/** An address that belongs to a view. */
export type ViewAddress = Exclude<Address, { view: 'nowhere' }>

export function readAddress(pathname: string): Address {
  const parts = decodeParts(pathname)
  if (parts === null) return { view: 'nowhere' }
  const [first, project, section, name, ...rest] = parts
  if (first === undefined) return { view: 'projects' }
  if (first === 'query' && project === undefined) return { view: 'query' }
  if (first === 'docs' && project === undefined) return { view: 'docs' }
  if (first === 'compare' && project === undefined) return { view: 'compare' }
  if (first !== 'p' || project === undefined) return { view: 'nowhere' }
  return readSection(project, section, name, rest)
}

function readSection(
  project: string,
  section: string | undefined,
  name: string | undefined,
  rest: readonly string[],
): Address {
  const [further, number, ...beyond] = rest
  if (section === undefined) return { view: 'sessions', project }
  if (section === 'w' && name !== undefined) {
    if (further === undefined) return { view: 'session', project, world: name }
    const turn = Number(number)
    const isTurn = further === 't' && /^[1-9]\d*$/.test(number ?? '') && beyond.length === 0
    return isTurn ? { view: 'turn', project, world: name, turn } : { view: 'nowhere' }
  }
  if (further !== undefined) return { view: 'nowhere' }
  if (section === 'runs')
    return name === undefined ? { view: 'runs', project } : { view: 'run', project, run: name }
  if (section === 'patterns' && name === undefined) return { view: 'patterns', project }
  if (section === 'analyses') return { view: 'analyses', project, analysis: name ?? null }
  return { view: 'nowhere' }
}

/** Splits a path into decoded parts; null if a percent-escape is invalid. A trailing slash is ignored. */
function decodeParts(pathname: string): string[] | null {
  try {
    return pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)
  } catch {
    return null // the only error that decodeURIComponent has
  }
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

function pathTo(address: ViewAddress): string {
  if (address.view === 'projects') return '/'
  if (address.view === 'query') return '/query'
  if (address.view === 'docs') return '/docs'
  if (address.view === 'compare') return '/compare'
  const below = `/p/${encodeURIComponent(address.project)}`
  switch (address.view) {
    case 'sessions':
      return below
    case 'session':
      return `${below}/w/${encodeURIComponent(address.world)}`
    case 'turn':
      return `${below}/w/${encodeURIComponent(address.world)}/t/${address.turn}`
    case 'runs':
      return `${below}/runs`
    case 'run':
      return `${below}/runs/${encodeURIComponent(address.run)}`
    case 'patterns':
      return `${below}/patterns`
    case 'analyses':
      return address.analysis === null
        ? `${below}/analyses`
        : `${below}/analyses/${encodeURIComponent(address.analysis)}`
  }
}
