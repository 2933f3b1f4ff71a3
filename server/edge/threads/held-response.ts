// A request of the thread to itself that is never answered. The library warns about an upgrade
// outside of a cork, and mistakes the socket for a request at the end of the cork of the upgraded
// request. In the cork of another request it does neither.

import type * as library from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { NativeResponse } from '../http/gateway/native.ts'

const HOST = '127.0.0.1'

export class HeldResponse {
  readonly #app: library.TemplatedApp
  readonly #response: NativeResponse
  readonly #client: Socket

  private constructor(app: library.TemplatedApp, response: NativeResponse, client: Socket) {
    this.#app = app
    this.#response = response
    this.#client = client
  }

  static async open({
    App,
    us_listen_socket_close,
    us_socket_local_port,
  }: Pick<
    typeof library,
    'App' | 'us_listen_socket_close' | 'us_socket_local_port'
  >): Promise<HeldResponse> {
    const app = App()
    // Another process may find the port while it is open, but not the path.
    const path = `/${randomUUID()}`
    const held = new Promise<NativeResponse>((resolve) => {
      app.get(path, (response) => {
        response.onAborted(() => {})
        resolve(response)
      })
    })
    const listening = await new Promise<library.us_listen_socket>((resolve, reject) => {
      app.listen(HOST, 0, (socket) => {
        if (socket) resolve(socket)
        else reject(new Error(`cannot listen on ${HOST}`))
      })
    })
    const client = connect(us_socket_local_port(listening), HOST)
    await once(client, 'connect')
    client.write(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    const response = await held
    us_listen_socket_close(listening)
    return new HeldResponse(app, response, client)
  }

  /** Calls `write` in the cork of this response. */
  cork(write: () => void): void {
    this.#response.cork(write)
  }

  close(): void {
    this.#client.destroy()
    this.#app.close()
  }
}
