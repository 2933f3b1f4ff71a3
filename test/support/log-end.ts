// Writes lines to standard error and ends at once, as a fatal fault does. The first argument is the
// number of lines, the second their length.

import { openLog } from '../../server/ops/logging/log.ts'

const [lines, characters] = process.argv.slice(2).map(Number)
const log = openLog('info')
for (let line = 0; line < lines; line++) log.info('x'.repeat(characters))
log.fatal('the end')
log.output.lastWords('last words\n')
process.exit(3)
