import { join } from 'node:path'
import { newFolder } from './support/data-folder.ts'
import { docTables, metricsTable, writeTable } from './support/doc-tables.ts'
import { startLive } from './support/live-exchange.ts'

// `make docs`: writes the tables that follow from the code into the documents.

for (const table of docTables()) writeTable(table)
// Some metrics exist only with a trace.
const live = await startLive({ flags: ['--trace', join(newFolder(), 'trace')] })
writeTable(metricsTable(await live.metrics()))
await live.stop()
