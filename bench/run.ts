// `node --import tsx bench/run.ts [names…] [--smoke]`: all benches when none is named.

import { type BenchOptions, type Report, saveReport, tableOf } from './report.ts'

type Bench = (options: BenchOptions) => Promise<Report>

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  book: async () => (await import('./book.bench.ts')).bookBench,
  core: async () => (await import('./core.bench.ts')).coreBench,
  journal: async () => (await import('./journal.bench.ts')).journalBench,
  pipeline: async () => (await import('./pipeline.bench.ts')).pipelineBench,
  http: async () => (await import('./http.bench.ts')).httpBench,
  recovery: async () => (await import('./recovery.bench.ts')).recoveryBench,
}

const args = process.argv.slice(2)
const smoke = args.includes('--smoke')
const named = args.filter((arg) => !arg.startsWith('--'))
const wrong = [
  ...named.filter((name) => !(name in BENCHES)),
  ...args.filter((arg) => arg.startsWith('--') && arg !== '--smoke'),
]
if (wrong.length > 0) {
  const known = Object.keys(BENCHES).join(', ')
  console.error(`There is no ${wrong.join(', ')}; name benches of ${known}, or --smoke.`)
  process.exit(2)
}
for (const name of named.length > 0 ? named : Object.keys(BENCHES)) {
  const bench = await BENCHES[name]()
  const report = await bench({ smoke })
  // A figure of a moment would only mislead whoever finds it later.
  if (!smoke) saveReport(report)
  console.log(smoke ? `${name}: works, ${report.rows.length} cases` : `${tableOf(report)}\n`)
}
