/** Writes a number with commas. `toLocaleString` loads the locales, which took 3 % of the start time of each command. */
export const groupDigits = (whole: number): string => String(whole).replace(/\B(?=(?:\d{3})+$)/g, ',')
