import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The folder of the bundle. Tests run from the sources and have such a folder. */
export const COMPILED_VARIABLE = 'TEST_COMPILED'

export interface SpawnOptions {
  /** The thread's name in profiles and in fault reports. */
  readonly name: string
  readonly workerData: unknown
  readonly transferList?: WorkerOptions['transferList']
  readonly resourceLimits?: WorkerOptions['resourceLimits']
}

/**
 * Starts a thread. This is the only `new Worker`. Callers pass `new URL('./x.worker.ts',
 * import.meta.url)`: the bundler does not change that string, so in dist/ the ending is replaced
 * here.
 */
export function spawn(entry: URL, options: SpawnOptions): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL(entry.href.replace(/\.ts$/, '.js')), options)
  }
  const compiled = compiledOf(entry)
  if (compiled !== null) return new Worker(compiled, { ...options, execArgv: [] })
  // Node 20 does not pass the main thread's loader to workers, so the thread registers it.
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const stub = `import(${loader}).then((tsx) => {
    tsx.register()
    return import(${JSON.stringify(entry.href)})
  })`
  return new Worker(stub, { ...options, eval: true, execArgv: [] })
}

/** The compiled file, or null without one. Threads start five times as fast from it. */
function compiledOf(entry: URL): URL | null {
  const folder = process.env[COMPILED_VARIABLE]
  if (folder === undefined) return null
  const file = pathToFileURL(join(folder, basename(entry.pathname).replace(/\.ts$/, '.js')))
  return existsSync(file) ? file : null
}
