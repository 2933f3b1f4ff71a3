// The targets of HTTP load: the exchange in its own process, and the yardstick.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '../../test/support/server-process.ts'
import { withFolder } from '../passes/folder.ts'
import { echoSetting, type HttpSetting, prepare } from './http-orders.ts'

export interface Target {
  readonly port: number
  readonly pid: number
  readonly setting: HttpSetting
}

/** The exchange on an empty folder. The follower runs and every reply is durable. */
export function withExchange<T>(
  markets: number,
  args: readonly string[],
  work: (target: Target) => Promise<T>,
  /** What is run in place of the compiled program. */
  program?: readonly string[],
): Promise<T> {
  return withFolder(async (dataDir) => {
    const own = program === undefined ? {} : { program }
    const server = await ServerProcess.start({
      dataDir,
      args: ['--no-rate-limit', ...args],
      ...own,
    })
    try {
      const setting = await prepare(server.baseUrl, markets)
      const port = Number(new URL(server.baseUrl).port)
      return await work({ port, pid: server.pid, setting })
    } finally {
      await server.stop()
    }
  })
}

/** An echo server beside an exchange. It knows the exchange's traders and markets. */
export function withEcho<T>(target: Target, work: (port: number) => Promise<T>): Promise<T> {
  return withEchoIn(target, null, work)
}

/** An echo server that commits each order to a journal of its own before it replies. */
export function withDurableEcho<T>(target: Target, work: (port: number) => Promise<T>): Promise<T> {
  return withFolder((dataDir) => withEchoIn(target, dataDir, work))
}

async function withEchoIn<T>(
  { setting }: Target,
  dataDir: string | null,
  work: (port: number) => Promise<T>,
): Promise<T> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL('./echo-server.ts', import.meta.url)),
    [JSON.stringify({ ...echoSetting(setting), dataDir })],
    { execArgv: ['--import', 'tsx'] },
  )
  try {
    const [port] = await once(child, 'message')
    return await work(Number(port))
  } finally {
    child.disconnect()
  }
}
