import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { onSignals } from '../../../server/start/stopping.ts'
import { newFolder } from '../../support/data-folder.ts'
import { ServerProcess } from '../../support/server-process.ts'

test('a stop that takes too long says what it waited for and ends', async (t) => {
  const before = { term: process.listeners('SIGTERM'), int: process.listeners('SIGINT') }
  t.after(() => {
    for (const [signal, known] of [
      ['SIGTERM', before.term],
      ['SIGINT', before.int],
    ] as const) {
      for (const each of process.listeners(signal)) {
        if (!known.includes(each)) process.off(signal, each)
      }
    }
  })
  const sentence = await new Promise<string>((resolve, reject) => {
    const never = () => reject(new Error('this stop cannot end'))
    const ends = { deadlineSec: 0.01, onDone: never, onFailure: never, onLate: resolve }
    onSignals({ info: () => {} }, ends, (doing) => {
      doing('the disk')
      return new Promise(() => {})
    })
    process.emit('SIGTERM')
  })
  assert.match(sentence, /shutdown exceeded 0.01 s and was aborted; it was waiting for the disk[.]/)
})

test('a body that never becomes complete does not delay a stop', async () => {
  const server = await ServerProcess.start({ dataDir: newFolder() })
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{')
  // Once a later call on another connection is answered, the server has the head.
  assert.equal((await fetch(`${server.baseUrl}/health`)).status, 200)
  await server.stop()
  socket.destroy()
})
