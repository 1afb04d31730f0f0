// The import of a document returns the example queries in it (scripts/bundle-page.mjs).
declare module '*.md' {
  const examples: readonly { question: string; query: string }[]
  export default examples
}
