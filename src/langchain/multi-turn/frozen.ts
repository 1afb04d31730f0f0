/** The value itself, which never changes again, at any depth. What is frozen already is not walked again. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const held of Object.values(value)) frozen(held)
  return value
}
