// Names the anchors of a report, for its internal links. Pure.
import type { ReportContent } from '../../cli/report/report-content.ts'
import type { WriteLink } from '../components/view-link.tsx'

/** Anchors use numbers, so that no address contains the name of a record. */
export const sessionAnchor = (session: number): string => `s${session}`
export const turnAnchor = (session: number, turn: number): string => `s${session}-t${turn}`
export const criterionAnchor = (session: number, row: number): string => `s${session}-c${row}`
export const cellAnchor = (session: number, row: number, turn: number): string =>
  `${criterionAnchor(session, row)}-t${turn}`

/** Returns a writer of links within the report; null for a session or turn that the report does not show. */
export function linkWithin({ details }: ReportContent): WriteLink {
  const placeByWorld = new Map(details.map(({ world }, place) => [world.world_slug, place]))
  return (address) => {
    if (address.view !== 'session' && address.view !== 'turn') return null
    const place = placeByWorld.get(address.world)
    const session = place === undefined ? undefined : details[place]
    if (place === undefined || session === undefined) return null
    if (address.view === 'session') return `#${sessionAnchor(place)}`
    return address.turn < session.recordsFrom ? null : `#${turnAnchor(place, address.turn)}`
  }
}
