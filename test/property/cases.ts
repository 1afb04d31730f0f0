/** Factor for the number of random cases. Each run has another seed, so repeated runs test more cases. */
const VOLUME = Number(process.env.TURNGRAPH_TEST_VOLUME ?? 1)

/** Returns how many random cases a property runs, of which `npm test` runs `few`. */
export const cases = (few: number): number => Math.ceil(few * VOLUME)
