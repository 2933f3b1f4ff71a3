// The yardstick of public reads: uWebSockets.js alone sends the same bytes as JSON. The bytes are
// the first message of its parent.

import * as uWS from 'uWebSockets.js'
import { assert } from '../../engine/domain/assert.ts'

process.once('message', (text) => {
  const payload = Buffer.from(String(text))
  const app = uWS.App().get('/*', (response) => {
    response.writeHeader('content-type', 'application/json; charset=utf-8')
    response.end(payload)
  })
  app.listen('127.0.0.1', 0, (socket) => {
    assert(socket !== false, 'a free port is found')
    process.send?.(uWS.us_socket_local_port(socket))
  })
})
process.on('disconnect', () => process.exit(0))
