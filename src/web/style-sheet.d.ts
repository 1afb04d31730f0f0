// The import of a style sheet returns its text, and the hash by which a policy allows it (scripts/bundle-page.mjs).
declare module '*.css' {
  const sheet: { text: string; sha256: string }
  export default sheet
}
