/** A number with its noun, in the right number: `1 turn`, `2 turns`. */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
