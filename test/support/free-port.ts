import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

// Fixed ports of servers that stop and start again during a test. The ports lie below those that
// systems give out by themselves (Linux begins at 32768), so no other connection or server gets the
// port of a server that is down. Each process takes a block of them, by listening on its first.

const FIRST = 20_000
const BLOCKS = 100
const BLOCK_PORTS = 100

let firstOfBlock: Promise<number> | null = null
let given = 0

async function listenOn(port: number): Promise<Server | null> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return null
  }
}

async function takeBlock(): Promise<number> {
  for (let tries = 0; tries < BLOCKS; tries++) {
    const port = FIRST + ((process.pid + tries) % BLOCKS) * BLOCK_PORTS
    const server = await listenOn(port)
    server?.unref()
    if (server !== null) return port
  }
  throw new Error(`all ports from ${FIRST} to ${FIRST + BLOCKS * BLOCK_PORTS - 1} are taken`)
}

/** Whether a server can listen on the port. */
export async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port)
  server?.close()
  return server !== null
}

/** A port of 127.0.0.1 on which nothing listens; rejects when this process finds no free one. */
export async function freePort(): Promise<number> {
  firstOfBlock ??= takeBlock()
  const first = await firstOfBlock
  for (let tries = 1; tries < BLOCK_PORTS; tries++) {
    const port = first + 1 + (given++ % (BLOCK_PORTS - 1))
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${first} to ${first + BLOCK_PORTS - 1} is free`)
}
