/** Formats a number with its noun: `1 turn`, `2 turns`, `0 criteria`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
