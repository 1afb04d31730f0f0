/** A property of whatever LangChain hands over: errors and outputs are of any shape. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
