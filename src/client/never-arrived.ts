/** Nobody listens there, so nothing was done: whatever was asked may be asked again, here or elsewhere. */
export function neverArrived(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'ECONNREFUSED') return true
  }
  return false
}
