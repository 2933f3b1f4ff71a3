// What the gateway uses of the HTTP library. On the core thread of an exchange with edge threads,
// the objects behind these types pass each call on to the thread that has the connection.

import type * as library from 'uWebSockets.js'
import type { Freshness } from '../../../messages/versions.ts'
import type { Coding } from '../caching/compressed.ts'

type Text = string | Uint8Array

/** A request while its handler runs. */
export interface NativeRequest {
  getCaseSensitiveMethod(): string
  getMethod(): string
  getUrl(): string
  getQuery(): string | undefined
  getQuery(name: string): string | undefined
  getHeader(name: string): string
  forEach(each: (name: string, value: string) => void): void
}

export interface NativeResponse {
  /** The results of the intake for the body, where an edge thread checked it (intake-layout.ts). */
  readonly verdict?: Uint8Array | null
  /** Keeps a reply on the edge thread, for later callers; absent when this thread has none. */
  keep?(kept: KeptReply): void
  getRemoteAddressAsText(): ArrayBuffer
  onAborted(handler: () => void): unknown
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
  /** The handler returns whether the library took everything that it was given. */
  onWritable(handler: (offset: number) => boolean): unknown
  /**
   * Resolves once the bytes behind the request, which may end its connection, are parsed; absent
   * where this thread parses them.
   */
  parsed?(): Promise<void>
  pause(): void
  resume(): void
  close(): unknown
  cork(write: () => void): unknown
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string): unknown
  end(body?: Text, close?: boolean): unknown
  endWithoutBody(): unknown
  /** Returns whether the library took everything, and whether the reply is out. */
  tryEnd(part: Uint8Array | string, totalBytes: number): [boolean, boolean]
  upgrade<Data>(
    data: Data,
    key: string,
    protocol: string,
    extensions: string,
    context: library.us_socket_context_t,
  ): void
}

/** A reply to every GET of a target while it is fresh. */
export interface KeptReply {
  /** The path of its route. */
  readonly path: string
  readonly target: string
  readonly freshness: Freshness
  /** Null for plain bytes. */
  readonly coding: Coding | null
  /** Status and headers as one text, without those of rate limits. */
  readonly head: string
  readonly body: Uint8Array
}

/** An open WebSocket. */
export interface NativeSocket<Data> {
  getUserData(): Data
  /** Bytes that are sent and not read. */
  getBufferedAmount(): number
  /** The same without those on their way to an edge thread; absent when there is none. */
  getUnreadAmount?(): number
  cork(write: () => void): unknown
  send(message: Text, isBinary?: boolean, compress?: boolean): number
  subscribe(topic: string): boolean
  unsubscribe(topic: string): boolean
  end(code?: number, reason?: string): void
  close(): void
}

/** How WebSockets of a path behave: limits in bytes and seconds, and callbacks. */
export interface SocketBehavior<Data> {
  readonly maxPayloadLength: number
  readonly maxBackpressure: number
  readonly closeOnBackpressureLimit: boolean
  readonly idleTimeout: number
  readonly sendPingsAutomatically: boolean
  /** An edge thread does not pass on many more; the library does not know it. */
  readonly messagesPerSecondMax: number
  upgrade(
    response: NativeResponse,
    request: NativeRequest,
    context: library.us_socket_context_t,
  ): void
  open(socket: NativeSocket<Data>): void
  message(socket: NativeSocket<Data>, message: ArrayBuffer, isBinary: boolean): void
  ping(socket: NativeSocket<Data>): void
  pong(socket: NativeSocket<Data>): void
  dropped(): void
  drain(socket: NativeSocket<Data>): void
  close(socket: NativeSocket<Data>, code: number, message: ArrayBuffer): void
}

export type RequestHandler = (response: NativeResponse, request: NativeRequest) => void

/** A call with orders that an edge thread has read and checked. */
export interface CheckedOrders {
  readonly path: string
  /** The key under which the address of the caller is counted. */
  readonly address: string
  /** The results of the intake (intake-layout.ts); valid until the handler returns. */
  readonly verdict: Uint8Array
}

export type OrdersHandler = (response: NativeResponse, orders: CheckedOrders) => void

/** An app of the library, as the gateway registers with it. */
export interface NativeApp {
  any(path: string, handler: RequestHandler): unknown
  /** For calls with checked orders; absent when this thread has the connections. */
  orders?(handler: OrdersHandler): unknown
  ws<Data>(path: string, behavior: SocketBehavior<Data>): unknown
}

/** The connections of a listener. */
export interface OpenConnections {
  readonly count: number
  /** Connections that were closed at once since the start. */
  readonly refusedCount: number
  /** True when so many connections are open that new callers may be refused. */
  readonly isCrowded: boolean
  /** An upgraded connection has ended. */
  ended(): void
}

/** One listener and its connections. */
export interface Listener {
  readonly connections: OpenConnections
  /** Registers handlers; before `listen`, except for apps that are made later. */
  each(register: (app: NativeApp) => void): void
  /** Starts to listen on a port of its own and returns it; 0 picks one. */
  listen(host: string, port: number): Promise<number>
  /** Accepts no more connections. */
  stopListening(): void
  /** Directs new connections to a new certificate; fails when it cannot be read. */
  renew(): void | Promise<void>
  /** Publishes to the members of a topic; false when there are none. */
  publish(topic: string, message: Text, isBinary?: boolean): boolean
  /** Whether published messages should wait, because many have not reached their threads. */
  readonly isCongested: boolean
  /** Closes all connections. */
  close(): void | Promise<void>
}
