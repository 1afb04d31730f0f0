/** Words for criteria that were promised and that no judge has ever named. */

type Promised = { criterionId: string; text: string | null }

/** `1 promised, never judged: "It is cheap"`; null where all that was promised was judged, too. */
export const promisedNote = (promised: readonly Promised[]): string | null =>
  promised.length === 0 ? null : `${promised.length} ${NEVER_JUDGED}: ${promisedNames(promised)}`

export const NEVER_JUDGED = 'promised, never judged'

const NAMES_SHOWN = 3

/** The texts, quoted; of many, the first three and how many there are besides. */
export function promisedNames(promised: readonly Promised[]): string {
  const names = promised
    .slice(0, NAMES_SHOWN)
    .map(({ criterionId, text }) => `"${(text ?? criterionId).replace(/\s+/gu, ' ').trim()}"`)
  const more = promised.length - names.length
  return names.join(', ') + (more === 0 ? '' : ` and ${more} more`)
}
