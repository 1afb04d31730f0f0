/**
 * Labels such as `AC-003` are aliases, never identity: they are positional and shift between the Player
 * and the Coach (contract: criteria.md, "Identity").
 */

/** `letters-digits` is one label whatever its leading zeros, with three digits: `AC-1` → `AC-001`. */
export function normalizeLabel(given: string): string {
  const label = given.normalize('NFKC').trim()
  const found = /^(\p{L}+)-0*(\d+)$/u.exec(label)
  return found === null ? label : `${found[1]}-${(found[2] ?? '').padStart(3, '0')}`
}

/** `AC-2` before `AC-10`: digits compare as numbers, the rest by code unit. A total order. */
export function compareNaturally(a: string, b: string): number {
  const left = a.match(/\d+|\D+/g) ?? []
  const right = b.match(/\d+|\D+/g) ?? []
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? '', right[i] ?? '']
    if (x === y) continue
    const [m, n] = [Number(x), Number(y)]
    if (Number.isFinite(m) && Number.isFinite(n) && m !== n) return m - n
    return compareCodeUnits(x, y)
  }
  return left.length - right.length || compareCodeUnits(a, b)
}

export const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
