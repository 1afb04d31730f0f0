/** Removes characters from the end of a text. Uses a loop: a regular expression that ends in `+$` takes quadratic time. */
export function trimEnd(text: string, isRemoved: (character: string) => boolean): string {
  let end = text.length
  while (end > 0 && isRemoved(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
