/** Decides whether a terminal takes colors. */
import picocolors from 'picocolors'

/** Returns colors for a terminal that wants them. (picocolors itself would also color a pipe in CI.) */
export const colors = (stream: NodeJS.WriteStream): ReturnType<typeof picocolors.createColors> =>
  picocolors.createColors(stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb')
