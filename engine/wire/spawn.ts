import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Names a folder with the sources compiled: of those who run from sources, tests have one. */
export const COMPILED_VARIABLE = 'TEST_COMPILED'

export interface SpawnOptions {
  /** Names the thread in profiles and in the reports of a fault. */
  readonly name: string
  readonly workerData: unknown
  readonly transferList?: WorkerOptions['transferList']
  readonly resourceLimits?: WorkerOptions['resourceLimits']
}

/**
 * Starts a thread; the only `new Worker`. Callers pass `new URL('./x.worker.ts', import.meta.url)`:
 * the compiler leaves that string alone, so in dist/ the ending is swapped here.
 */
export function spawn(entry: URL, options: SpawnOptions): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL(entry.href.replace(/\.ts$/, '.js')), options)
  }
  const compiled = compiledOf(entry)
  if (compiled !== null) return new Worker(compiled, { ...options, execArgv: [] })
  // Node 20 does not hand the loader of the main thread to a worker: the thread registers its own.
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const stub = `import(${loader}).then((tsx) => {
    tsx.register()
    return import(${JSON.stringify(entry.href)})
  })`
  return new Worker(stub, { ...options, eval: true, execArgv: [] })
}

/** A thread starts five times as fast from a compiled file; null when there is none. */
function compiledOf(entry: URL): URL | null {
  const folder = process.env[COMPILED_VARIABLE]
  const sources = new URL('../..', import.meta.url).href
  if (folder === undefined || !entry.href.startsWith(sources)) return null
  const name = entry.href.slice(sources.length).replace(/\.ts$/, '.js')
  const file = new URL(name, pathToFileURL(`${folder}/`))
  return existsSync(file) ? file : null
}
