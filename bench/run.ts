// `node --import tsx bench/run.ts [names…] [--smoke | --readme]`: runs all benches when it names
// none.

import { progress } from './report/progress.ts'
import { writeReadme } from './report/readme.ts'
import type { BenchOptions, Report } from './report/report.ts'
import { saveResult } from './report/results.ts'
import { summaryOf, tableOf } from './report/tables.ts'

type Bench = (options: BenchOptions) => Promise<Report>

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  book: async () => (await import('./book.bench.ts')).bookBench,
  core: async () => (await import('./core.bench.ts')).coreBench,
  journal: async () => (await import('./journal.bench.ts')).journalBench,
  pipeline: async () => (await import('./pipeline.bench.ts')).pipelineBench,
  http: async () => (await import('./http.bench.ts')).httpBench,
  binary: async () => (await import('./binary.bench.ts')).binaryBench,
  fanout: async () => (await import('./fanout.bench.ts')).fanoutBench,
  recovery: async () => (await import('./recovery.bench.ts')).recoveryBench,
  snapshot: async () => (await import('./snapshot.bench.ts')).snapshotBench,
  memory: async () => (await import('./memory.bench.ts')).memoryBench,
  lifetime: async () => (await import('./lifetime.bench.ts')).lifetimeBench,
  follower: async () => (await import('./follower.bench.ts')).followerBench,
  reads: async () => (await import('./reads.bench.ts')).readsBench,
  micro: async () => (await import('./micro.bench.ts')).microBench,
}
const FLAGS = ['--smoke', '--readme']
const INTERRUPTED = 130

async function runAll(names: readonly string[], smoke: boolean): Promise<void> {
  const reports: Report[] = []
  for (const name of names) {
    progress(`${name}: begins`)
    const bench = await BENCHES[name]()
    const report = await bench({ smoke })
    reports.push(report)
    // A smoke run's figures would mislead a later reader, so they are not saved.
    if (!smoke) saveResult(report)
    console.log(smoke ? `${name}: works, ${report.rows.length} cases` : `\n${tableOf(report)}\n`)
  }
  if (!smoke && names.length === Object.keys(BENCHES).length) console.log(summaryOf(reports))
}

// Exits on a signal, so that folders are dropped: the signal alone would skip that.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(INTERRUPTED))
}
const args = process.argv.slice(2)
const named = args.filter((arg) => !arg.startsWith('--'))
const wrong = [
  ...named.filter((name) => !(name in BENCHES)),
  ...args.filter((arg) => arg.startsWith('--') && !FLAGS.includes(arg)),
]
if (wrong.length > 0) {
  const known = Object.keys(BENCHES).join(', ')
  console.error(
    `There is no ${wrong.join(', ')}; the benches are ${known}, the flags ${FLAGS.join(', ')}.`,
  )
  process.exit(2)
}
if (args.includes('--readme')) writeReadme(Object.keys(BENCHES))
else await runAll(named.length > 0 ? named : Object.keys(BENCHES), args.includes('--smoke'))
