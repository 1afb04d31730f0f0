/** What a terminal takes: colors, and no control characters of others. */
import picocolors from 'picocolors'

/** Colour is for a terminal, and for one that wants it. (picocolors itself would also colour a pipe in CI.) */
export const colors = (stream: NodeJS.WriteStream): ReturnType<typeof picocolors.createColors> =>
  picocolors.createColors(stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb')

/** Records hold whatever an agent wrote: at a terminal its control characters would be commands. */
export const withoutControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\uFFFD')
