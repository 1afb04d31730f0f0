/** Re-exports the module for CommonJS programs. There is only one copy, so that `instanceof` works on both sides. */
import turngraph = require('./index.ts')

export = turngraph
