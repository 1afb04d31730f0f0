// A style sheet that is imported is its text, with the hash by which a policy allows it (scripts/bundle-page.mjs).
declare module '*.css' {
  const sheet: { text: string; sha256: string }
  export default sheet
}
