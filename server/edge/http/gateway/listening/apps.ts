// The library's apps of one listener. An app keeps its certificate, so renewing the certificate
// creates another app. Invariants: only the first app listens, and it hands new connections to the
// newest app. A connection stays with its app until it ends.

import type * as library from 'uWebSockets.js'
import type { TlsFiles } from './listen-check.ts'

type TemplatedApp = library.TemplatedApp

/** The library's types omit the calls by which one app hands connections to another. */
function native(app: TemplatedApp, name: string, ...values: unknown[]): unknown {
  return Reflect.apply(Reflect.get(app, name), app, values)
}

export class Apps {
  readonly #make: () => TemplatedApp
  readonly #first: TemplatedApp
  readonly #all: TemplatedApp[]
  readonly #registrations: ((app: TemplatedApp) => void)[] = []

  constructor({ App, SSLApp }: Pick<typeof library, 'App' | 'SSLApp'>, tls: TlsFiles | undefined) {
    this.#make = () => {
      if (tls === undefined) return App()
      return SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
    }
    this.#first = this.#make()
    this.#all = [this.#first]
  }

  /** Registers a handler with each app, including later ones. */
  each(register: (app: TemplatedApp) => void): void {
    this.#registrations.push(register)
    for (const app of this.#all) register(app)
  }

  listen(host: string, port: number): Promise<library.us_listen_socket> {
    return listenAlone(this.#first, host, port)
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

  close(): void {
    for (const app of this.#all) app.close()
  }
}

/** Without this flag, two exchanges could share a port, and each would get half of the calls. */
const EXCLUSIVE_PORT = 1

/** Starts to listen on a port of the app's own; 0 picks one. */
function listenAlone(
  app: library.TemplatedApp,
  host: string,
  port: number,
): Promise<library.us_listen_socket> {
  return new Promise((resolve, reject) => {
    const listened = (socket: library.us_listen_socket | false) => {
      if (socket !== false) resolve(socket)
      else reject(new Error(`cannot listen on ${host}:${port}; is the port in use?`))
    }
    // The library's types do not allow a host together with options.
    Reflect.apply(app.listen, app, [host, port, EXCLUSIVE_PORT, listened])
  })
}
