/** Finds letters of other alphabets that look like Latin ones: two labels that look the same are one label. Pure; the time is linear. */

/** Letters that fonts draw like a Latin letter; a part of the table of Unicode UTS 39. */
const ALPHABETS: readonly (readonly [letters: string, latin: string])[] = [
  // Cyrillic
  ['АВЕЅІЈКМНОРСТУХѴӀԌԚԜ', 'ABESIJKMHOPCTYXVIGQW'],
  ['аеорсухѕіјһԁԛԝѵӏ', 'aeopcyxsijhdqwvl'],
  // Greek
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ', 'ABEZHIKMNOPTYXCJ'],
  ['αγινορυϲϳ', 'ayivopucj'],
  // Armenian
  ['ՍՏՕհոսցզօ', 'USOhnugqo'],
  // Cherokee
  ['ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏚᏙᏞᏟᏢᏦᏴ', 'DRTAJEWMHGZSVLCPKB'],
  // Lisu
  ['ꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜꓮ', 'BCDEFGHIJKLMNOPRSTUVWXYZA'],
  ['‐‑‒–−', '-----'],
]

const LATIN = new Map(
  ALPHABETS.flatMap(([letters, latin]) => [...letters].map((letter, i) => [letter, latin[i] ?? letter])),
)
const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join('')}]`, 'g')

/** Replaces each letter with the Latin letter that it looks like. The length does not change. */
export const toLatinLook = (text: string): string =>
  text.replace(LOOK_ALIKE, (letter) => LATIN.get(letter) ?? letter)

const MAX_WARNINGS = 5

/**
 * Warns of labels that contain letters of another alphabet. Skips words with a letter that only their alphabet has.
 *
 * @example
 * warnOfLookAlikes(['АС-1']) // ['label "АС-1" looks like "AC-1" and counts as it, but has letters of another alphabet (U+0410, U+0421)']
 */
export function warnOfLookAlikes(labels: Iterable<string>): string[] {
  const warnings: string[] = []
  for (const label of new Set(labels)) {
    const foreign = findDeceptiveLetters(label)
    if (foreign.length === 0) continue
    if (warnings.length === MAX_WARNINGS)
      return [...warnings, 'further labels have letters of another alphabet']
    const codes = foreign.map(
      (letter) => `U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
    warnings.push(
      `label "${label}" looks like "${toLatinLook(label)}" and counts as it, but has letters of another alphabet (${codes.join(', ')})`,
    )
  }
  return warnings
}

/** Finds letters that look Latin, in words that also have Latin letters or have no letter that shows their alphabet. */
function findDeceptiveLetters(label: string): string[] {
  const found = new Set<string>()
  for (const [word] of label.matchAll(/\p{L}+/gu)) {
    const alike = [...word].filter((letter) => LATIN.has(letter))
    const latin = /\p{Script=Latin}/u.test(word)
    const isDeceptive = latin || alike.length === [...word].length
    if (isDeceptive) for (const letter of alike) found.add(letter)
  }
  return [...found]
}
