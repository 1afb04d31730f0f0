/** The same module for programs that are CommonJS: one copy, so that `instanceof` holds on both sides. */
import turngraph = require('./index.ts')

export = turngraph
