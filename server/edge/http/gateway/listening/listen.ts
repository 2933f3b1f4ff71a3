import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'

/** Without this flag, two exchanges could share a port, and each would get half of the calls. */
const EXCLUSIVE_PORT = 1

/** Starts to listen on a port of the app's own; 0 picks one. */
export function listenAlone(
  app: TemplatedApp,
  host: string,
  port: number,
): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    const listened = (socket: us_listen_socket | false) => {
      if (socket !== false) resolve(socket)
      else reject(new Error(`cannot listen on ${host}:${port}; is the port in use?`))
    }
    // The library's types do not allow a host together with options.
    Reflect.apply(app.listen, app, [host, port, EXCLUSIVE_PORT, listened])
  })
}
