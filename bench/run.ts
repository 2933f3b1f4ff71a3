// `node --import tsx bench/run.ts [names…] [--smoke | --readme]`: runs all benches without names.

import { type Bench, progress, type Report } from './harness/bench.ts'
import { writeDocuments } from './harness/documents.ts'
import { saveResult } from './harness/results.ts'
import { summaryOf, tableOf } from './harness/tables.ts'

/** In the order of the report. */
const NAMES = 'book core journal pipeline http binary fanout recovery snapshot memory'
  .split(' ')
  .concat('lifetime', 'years', 'follower', 'reads', 'micro', 'cluster', 'chain')
const FLAGS = ['--smoke', '--readme']
const INTERRUPTED = 130

async function benchOf(name: string): Promise<Bench> {
  const { bench } = await import(`./${name}.bench.ts`)
  return bench
}

async function runAll(names: readonly string[], smoke: boolean): Promise<void> {
  const reports: (Report & Pick<Bench, 'aims'>)[] = []
  for (const name of names) {
    progress(`${name}: starts`)
    const { aims, run } = await benchOf(name)
    const report = await run(smoke)
    reports.push({ ...report, aims })
    // Figures of a smoke run would mislead a later reader.
    if (!smoke) saveResult(report)
    const table = smoke ? `${name}: works, ${report.rows.length} cases` : tableOf(report, aims)
    console.log(smoke ? table : `\n${table}\n`)
  }
  if (!smoke && names.length === NAMES.length) console.log(summaryOf(reports))
}

// Exits on a signal, so that folders are dropped: the signal alone would skip that.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(INTERRUPTED))
}
const args = process.argv.slice(2)
const named = args.filter((arg) => !arg.startsWith('--'))
const unknown = args.filter((arg) => !(arg.startsWith('--') ? FLAGS : NAMES).includes(arg))
if (unknown.length > 0) {
  const known = `the benches are ${NAMES.join(', ')}, the flags ${FLAGS.join(', ')}`
  console.error(`There is no ${unknown.join(', ')}; ${known}.`)
  process.exit(2)
}
if (args.includes('--readme')) writeDocuments(await Promise.all(NAMES.map(benchOf)))
else await runAll(named.length > 0 ? named : NAMES, args.includes('--smoke'))
