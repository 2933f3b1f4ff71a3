// The servers of HTTP load: the exchange in its own process, and its baselines.

import { SETTINGS } from '../../server/config.ts'
import { type ServeOptions, ServerProcess } from '../../test/support/server-process.ts'
import { until } from '../../test/support/until.ts'
import { withService } from '../harness/child.ts'
import { withFolder } from '../harness/folder.ts'
import { Caller, type CallerOptions } from './calls.ts'
import { echoSetting, type HttpSetting, prepare } from './orders.ts'

/** A stop saves a snapshot: of a large exchange that may take a while. */
const HISTORY_ARGS = ['--accept-clock', '--no-rate-limit', '--stop-deadline', '120']

export interface Target {
  readonly port: number
  readonly pid: number
  readonly setting: HttpSetting
  readonly edgeThreads: number
}

async function serving<T>(
  options: ServeOptions,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await ServerProcess.start(options)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Opens a caller of the server, which is closed before the server stops. */
export type OpenCaller = (options?: CallerOptions) => Caller

/** A server on a folder with a history, whose clock may be behind. */
export function withServer<T>(
  dataDir: string,
  work: (openCaller: OpenCaller, baseUrl: string) => Promise<T>,
): Promise<T> {
  return serving({ dataDir, args: HISTORY_ARGS }, async ({ baseUrl }) => {
    const callers: Caller[] = []
    const open = (options?: CallerOptions) => {
      const caller = new Caller(baseUrl, options)
      callers.push(caller)
      return caller
    }
    try {
      return await work(open, baseUrl)
    } finally {
      for (const caller of callers) caller.close()
    }
  })
}

export interface ExchangeOptions extends Pick<ServeOptions, 'program'> {
  readonly markets: number
  readonly args?: readonly string[]
  /** The default of the machine when absent. */
  readonly edgeThreads?: number
}

/** The exchange on an empty folder. The follower runs and every reply is durable. */
export function withExchange<T>(
  { markets, args = [], program, edgeThreads = SETTINGS.edgeThreads.fallback }: ExchangeOptions,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const threads = ['--market-threads', 'auto', '--edge-threads', String(edgeThreads)]
  const all = ['--no-rate-limit', ...threads, ...args]
  return withFolder((dataDir) =>
    serving({ dataDir, args: all, program }, async ({ baseUrl, pid }) => {
      // A node of a cluster listens before it leads.
      await until(async () => (await fetch(`${baseUrl}/ready`)).ok)
      const setting = await prepare(baseUrl, markets, args.includes('--chain-rpc'))
      return await work({ port: Number(new URL(baseUrl).port), pid, setting, edgeThreads })
    }),
  )
}

/** An echo server beside an exchange, with as many threads. It knows its traders and markets. */
export function withEcho<T>(target: Target, work: (port: number) => Promise<T>): Promise<T> {
  return withEchoIn(target, null, work)
}

/** An echo server that commits each order to a journal of its own before it replies. */
export function withDurableEcho<T>(target: Target, work: (port: number) => Promise<T>): Promise<T> {
  return withFolder((dataDir) => withEchoIn(target, dataDir, work))
}

function withEchoIn<T>(
  { setting, edgeThreads: threads }: Target,
  dataDir: string | null,
  work: (port: number) => Promise<T>,
): Promise<T> {
  const task = { module: new URL('./echo-server.ts', import.meta.url), name: 'echoOrders' }
  return withService(task, { ...echoSetting(setting), threads, dataDir }, work)
}
