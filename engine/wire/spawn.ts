import { Worker, type WorkerOptions } from 'node:worker_threads'

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
  // Node 20 does not hand the loader of the main thread to a worker: the thread registers its own.
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const stub = `import(${loader}).then((tsx) => {
    tsx.register()
    return import(${JSON.stringify(entry.href)})
  })`
  return new Worker(stub, { ...options, eval: true, execArgv: [] })
}
