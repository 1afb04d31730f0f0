/** The key of a record that was replaced ends with `~` and its revision, which that of a turn never does. */
export const isSuperseded = (key: string): boolean => /\/\d+~\d+$/.test(key)
