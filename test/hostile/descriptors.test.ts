import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { ADMIN_TOKEN, ServerProcess } from '../support/server-process.ts'

// A process that may open few files gets more connections than files. It survives, and answers
// again.

/** A start alone has hundreds of source files open at once: Node reads all imports side by side. */
const FILES = 512
const CONNECTIONS = 1200

test('connections beyond the files are refused, and the exchange works afterwards', async () => {
  const server = await ServerProcess.start({
    dataDir: newFolder(),
    args: ['--market-threads', '1', '--no-rate-limit'],
    wrapper: ['prlimit', `--nofile=${FILES}:${FILES}`],
  })
  const { port } = new URL(server.baseUrl)
  const isHealthy = async () => {
    const reply = await fetch(`${server.baseUrl}/health`).catch(() => null)
    await reply?.text()
    return reply?.status === 200
  }
  assert.equal(await isHealthy(), true)
  let ended = 0
  const sockets = Array.from({ length: CONNECTIONS }, (): Socket => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => ended++)
    return socket
  })
  // No more connections than files can stay open, so the rest must end.
  while (ended < CONNECTIONS - FILES) await new Promise((resolve) => setTimeout(resolve, 20))
  for (const socket of sockets) socket.destroy()
  while (!(await isHealthy())) await new Promise((resolve) => setTimeout(resolve, 20))
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const text = await (await fetch(`${server.baseUrl}/metrics`, { headers })).text()
  const refused = /^outcomex_connections_refused_total (\d+)$/m.exec(text)
  assert.ok(Number(refused?.[1]) > 0, 'the bound on connections refuses the rest')
  // The stop commits, saves a snapshot and ends well.
  await server.stop()
})
