/** Processes a list with the given number of workers. Returns the results in the order of the list. */
export async function inCrew<T, R>(
  callers: number,
  items: readonly T[],
  work: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = []
  let next = 0
  const caller = async () => {
    for (let i = next++; i < items.length; i = next++) answers[i] = await work(items[i] as T, i)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return answers
}
