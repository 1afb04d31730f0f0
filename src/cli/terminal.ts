/** Decides whether a terminal takes colors. */
import picocolors from 'picocolors'

/** Colour is for a terminal, and for one that wants it. (picocolors itself would also colour a pipe in CI.) */
export const colors = (stream: NodeJS.WriteStream): ReturnType<typeof picocolors.createColors> =>
  picocolors.createColors(stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb')
