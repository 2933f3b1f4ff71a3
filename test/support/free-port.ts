import { once } from 'node:events'
import { createServer } from 'node:net'

// Fixed ports of servers that stop and start again during a test. The ports lie below those that
// systems give out by themselves (Linux begins at 32768), so no other connection or server gets the
// port of a server that is down. Processes begin at different ports and never give one out twice.

const FIRST = 20_000
const COUNT = 10_000
const PORTS_PER_PROCESS = 16
let given = (process.pid * PORTS_PER_PROCESS) % COUNT

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** A port of 127.0.0.1 on which nothing listens; rejects when all ports of the range are taken. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + given
    given = (given + 1) % COUNT
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${FIRST} to ${FIRST + COUNT - 1} is free`)
}
