// The library's apps of one listener. An app keeps its certificate, so renewing the certificate
// creates another app. Invariants: only the first app listens, and it hands new connections to the
// newest app. A connection stays with its app until it ends.

import type * as library from 'uWebSockets.js'
import type { Connections } from '../connections.ts'
import type { Listener, NativeApp } from '../native.ts'
import type { TlsFiles } from './listen-check.ts'

type TemplatedApp = library.TemplatedApp

/** The library's types omit the calls by which one app hands connections to another. */
function native(app: TemplatedApp, name: string, ...values: unknown[]): unknown {
  return Reflect.apply(Reflect.get(app, name), app, values)
}

interface AppsParts {
  readonly tls?: TlsFiles | undefined
  readonly connections: Connections
  /** Receives an exception of the count of connections. */
  readonly onFault: (error: unknown) => void
  /** Whether other threads of this process listen on the same port. */
  readonly isShared?: boolean
}

export class Apps implements Listener {
  readonly connections: Connections
  readonly #library: typeof library
  readonly #parts: AppsParts
  readonly #first: TemplatedApp
  readonly #all: TemplatedApp[]
  readonly #registrations: ((app: NativeApp) => void)[] = []
  #listenSocket: library.us_listen_socket | null = null

  constructor(uWS: typeof library, parts: AppsParts) {
    this.#library = uWS
    this.#parts = parts
    this.connections = parts.connections
    this.#first = this.#make()
    this.#all = [this.#first]
  }

  #make(): TemplatedApp {
    const { tls } = this.#parts
    const { App, SSLApp } = this.#library
    const app =
      tls === undefined
        ? App()
        : SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
    app.filter((response, change) => this.#count(response, change))
    return app
  }

  /** The library does not report which connection ended, nor the end of a WebSocket. */
  #count(response: library.HttpResponse, change: number): void {
    try {
      if (change > 0) this.connections.opened(response)
      else this.connections.ended()
    } catch (error) {
      this.#parts.onFault(error)
    }
  }

  /** Registers a handler with each app, including later ones. */
  each(register: (app: NativeApp) => void): void {
    this.#registrations.push(register)
    for (const app of this.#all) register(app)
  }

  async listen(host: string, port: number): Promise<number> {
    const options = this.#parts.isShared === true ? SHARED_PORT : EXCLUSIVE_PORT
    this.#listenSocket = await listenOn(this.#first, host, port, options)
    return this.#library.us_socket_local_port(this.#listenSocket)
  }

  stopListening(): void {
    if (this.#listenSocket !== null) this.#library.us_listen_socket_close(this.#listenSocket)
    this.#listenSocket = null
  }

  /** Directs new connections to another app; throws when it cannot be created. */
  renew(): void {
    const newest = this.#make()
    for (const register of this.#registrations) register(newest)
    const before = this.#all.at(-1)
    native(this.#first, 'addChildAppDescriptor', native(newest, 'getDescriptor'))
    if (before !== undefined && before !== this.#first) {
      native(this.#first, 'removeChildAppDescriptor', native(before, 'getDescriptor'))
    }
    this.#all.push(newest)
  }

  /** Publishes to the members of a topic in all apps. */
  publish(topic: string, message: library.RecognizedString, isBinary = false): boolean {
    let isTaken = false
    for (const app of this.#all) {
      if (app.publish(topic, message, isBinary, false)) isTaken = true
    }
    return isTaken
  }

  /** The library has each message at once. */
  readonly isCongested = false

  close(): void {
    for (const app of this.#all) app.close()
  }
}

/** Without this flag, two exchanges could share a port, and each would get half of the calls. */
const EXCLUSIVE_PORT = 1
const SHARED_PORT = 0

/** Starts to listen; port 0 picks one. */
function listenOn(
  app: library.TemplatedApp,
  host: string,
  port: number,
  options: number,
): Promise<library.us_listen_socket> {
  return new Promise((resolve, reject) => {
    const listened = (socket: library.us_listen_socket | false) => {
      if (socket !== false) resolve(socket)
      else reject(new Error(`cannot listen on ${host}:${port}; is the port in use?`))
    }
    // The library's types do not allow a host together with options.
    Reflect.apply(app.listen, app, [host, port, options, listened])
  })
}
