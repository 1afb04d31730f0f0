/** The exit codes of all commands. The errors, `turngraph --help` and the reference derive from this table. */
export const EXIT = {
  done: { code: 0, meaning: 'done' },
  defect: { code: 1, meaning: 'a defect of Turngraph' },
  invalid: { code: 2, meaning: 'the command or its input is invalid' },
  notAllowed: { code: 3, meaning: 'the token is missing or lacks the permission' },
  notFound: { code: 4, meaning: 'not found' },
  conflict: { code: 5, meaning: 'a different record exists, or another process is working on it' },
  rateLimited: { code: 6, meaning: 'too many requests' },
  away: { code: 7, meaning: 'the graph or the service is unavailable or too slow: try again' },
  // Different from 1, so that a script can distinguish "found something" from "broke".
  found: {
    code: 8,
    meaning:
      'it ran with a result to check: findings, pending migrations, files or turns that an import could not use, a run not completed',
  },
  // For shell loops: 0 continues the loop, 10 ends it, and any other code is an error.
  stop: {
    code: 10,
    meaning:
      '`stall --exit-code`: the session should stop; `attention --exit-code`: a session needs a person; `verify`: a command or a test failed',
  },
  hungUp: { code: 129, meaning: 'ended by SIGHUP: the terminal was closed' },
  interrupted: { code: 130, meaning: 'ended by Ctrl+C (SIGINT)' },
  terminated: { code: 143, meaning: 'ended by SIGTERM' },
} as const
