/** Rounds as long as one likes: `TURNGRAPH_TEST_VOLUME=10 npx vitest run test/property`. */
const VOLUME = Number(process.env.TURNGRAPH_TEST_VOLUME ?? 1)

/** How many random cases a property goes through: `few` in `npm test`, which draws other ones each time. */
export const cases = (few: number): number => Math.ceil(few * VOLUME)
