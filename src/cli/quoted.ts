/** Quotes an argument for the shell that a command is pasted into, where it has to be. */
export const quoted = (argument: string): string =>
  /^[\w.,:@%+=/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
