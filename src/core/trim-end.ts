/** Removes characters from the end of a text. A loop: the time of an expression that ends in `+$` is quadratic in the text. */
export function trimEnd(text: string, isRemoved: (character: string) => boolean): string {
  let end = text.length
  while (end > 0 && isRemoved(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
