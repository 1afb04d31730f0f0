import { passing } from './outside-worker.ts'
import { pause } from './scenario.ts'

const BACK_OFF_MS = 100
const AT_MOST = 600

/** Repeats a request while the service or its store is unavailable. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === AT_MOST) throw error
      passing(error)
      await pause(BACK_OFF_MS)
    }
  }
}
