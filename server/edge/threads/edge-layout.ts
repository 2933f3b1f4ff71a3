// Frames between the core thread and an edge thread; both sides import this file. Little-endian. A
// frame starts with the id of the request or socket that it is about; 0 for the thread itself.
//
// From an edge to the core:
//
//   HEAD      0 id u32 │ 4 handler u16: index of the path in LISTEN │ 6 flags u16 │ 8 lines, each
//             with a line feed after it: method, target without query, query, address, then name
//             and value of each header
//   DATA      0 id u32 │ 4 flags u32 │ 8 bytes of the body
//   VERDICT   0 id u32 │ 4 0 │ 8 RESULTs of the intake (intake-layout.ts) as parts (parts.ts): the
//             body is whole and was checked
//   ORDERS    0 id u32 │ 4 form u16: FORM of the body │ 6 addressBytes u16 │ 8 key of the caller's
//             address, padded to eight, then RESULTs as above: in place of HEAD and VERDICT, for
//             a call without headers that the core needs
//   GONE      0 id u32: the connection closed before its reply was out or it became a socket
//   WANT      0 id u32 │ 4 0 │ 8 offset f64: the reply is out up to there
//   MESSAGE   0 id u32 │ 4 flags u32 │ 8 bytes
//   PING      0 id u32: a ping or a pong came
//   DRAIN     0 id u32: its reader took some of the unread bytes
//   CLOSE     0 id u32 │ 4 code u32: the socket has closed
//   DROPPED   a socket closes because too many bytes are unread
//   READY     the thread has loaded what it needs
//   PORT      0 id u32 = 0 │ 4 port u32: it listens; 0 when it cannot
//   RENEWED   0 id u32 = 0 │ 4 0 │ 8 text of an exception, if the certificate cannot be read
//   FAULT     0 id u32 = 0 │ 4 0 │ 8 text of an exception
//
// From the core to an edge:
//
//   LISTEN    JSON of ListenRequest
//   REPLY     0 id u32 │ 4 flags u32 │ 8 headBytes u32 │ 12 lengthPlus u32: content-length + 1, 0
//             for none │ 16 status and headers as text, then the body
//   PIECE     0 id u32 │ 4 headBytes u32 │ 8 totalBytes f64 │ 16 text as above, for the first
//             piece, then bytes from the last WANT on
//   END       0 id u32: closes the connection
//   PAUSE     0 id u32: reads nothing more from the connection
//   RESUME    0 id u32
//   UPGRADE   0 id u32 │ 4 slot u32: its cells have the unread bytes │ 8 status and headers as text
//   SEND      0 id u32 │ 4 flags u32 │ 8 messages as parts (parts.ts)
//   JOIN      0 id u32 │ 4 0 │ 8 topic
//   LEAVE     0 id u32 │ 4 0 │ 8 topic
//   PUBLISH   0 topicBytes u32 │ 4 flags u32 │ 8 topic, then from a multiple of eight the message
//   LAST      0 id u32 │ 4 code u32 │ 8 reason: ends the socket
//   (in a ring of its own) JSON of one DirectoryChange
//   KEEP      0 subject u32 │ 4 version u32 │ 8 fromMs f64 │ 16 untilMs f64 │ 24 flags u8 │
//             25 coding u8: index in CODINGS, 255 for none │ 26 targetBytes u16 │ 28 headBytes u32
//             │ 32 path u32: its number in metrics │ 40 target, head, body: a reply that is sent
//             again while it is fresh (versions.ts)
//   DEAF      stops listening
//   RENEW     reads the certificate again
//   STOP      closes all connections, and ends the thread

import { LIMITS } from '../../../engine/domain/limits.ts'

export const FROM_EDGE = {
  HEAD: 1,
  DATA: 2,
  VERDICT: 3,
  GONE: 4,
  WANT: 5,
  MESSAGE: 6,
  PING: 7,
  DRAIN: 8,
  CLOSE: 9,
  DROPPED: 10,
  READY: 11,
  PORT: 12,
  RENEWED: 13,
  FAULT: 14,
  ORDERS: 15,
} as const

export const TO_EDGE = {
  LISTEN: 1,
  REPLY: 2,
  PIECE: 3,
  END: 4,
  PAUSE: 5,
  RESUME: 6,
  UPGRADE: 7,
  SEND: 8,
  JOIN: 9,
  LEAVE: 10,
  PUBLISH: 11,
  LAST: 12,
  DEAF: 13,
  RENEW: 14,
  STOP: 15,
  KEEP: 16,
} as const

export const FLAG = {
  /** HEAD: the request asks for a WebSocket. */
  UPGRADE: 1,
  /** HEAD: its target has a question mark. */
  QUERY: 2,
  /** DATA: the body ends here. */
  LAST: 1,
  /** MESSAGE, SEND, PUBLISH. */
  BINARY: 1,
  /** SEND: report when few bytes are unread, even if the reader never lagged. */
  NOTIFY: 2,
  /** REPLY: the connection closes after it. */
  CLOSE: 1,
  /** REPLY: without a body, whatever the length says. */
  NO_BODY: 2,
  /** REPLY: the thread bounds what its reader does not take. */
  BOUNDED: 4,
  /** KEEP: the body is the time. */
  TIME: 1,
} as const

export const BODY = 8

export const REPLY_TEXT = 16

/** Bytes of an address in ORDERS, so that the results after it are aligned. */
export function paddedBytes(addressBytes: number): number {
  return (addressBytes + 7) & ~7
}

/** Offsets of KEEP. */
export const KEEP = {
  subject: 0,
  version: 4,
  fromMs: 8,
  untilMs: 16,
  flags: 24,
  coding: 25,
  targetBytes: 26,
  headBytes: 28,
  path: 32,
  texts: 40,
} as const
export const NO_CODING = 255

/** The core waits for the reader of a longer reply. */
export const BOUNDED_BYTES_MAX = 16 * 1024

/** Longest piece of a reply that is sent before its reader took the one before. */
export const PIECE_BYTES = 128 * 1024

/** Sockets of one thread; each has cells, and keeps them for a moment after its end. */
export const SOCKETS_MAX = 2 * LIMITS.socketsMax

/**
 * Messages and pings of one socket that a thread passes on in one of its seconds. The core
 * disconnects a client above the limit in one of its own seconds, two of which may share one of
 * these.
 */
export function framesPerSecondMax(messagesPerSecondMax: number): number {
  return 2 * messagesPerSecondMax + 1
}

/**
 * Cells of a socket: its unread bytes, and the bytes that SEND brought, modulo 2^32. The core gives
 * them to another socket once the thread has closed the first.
 */
export const CELL = { unread: 0, received: 1, count: 2 } as const

/** Limits of the sockets of a path; callbacks stay on the core. */
export interface SocketLimits {
  readonly maxPayloadLength: number
  readonly maxBackpressure: number
  readonly closeOnBackpressureLimit: boolean
  readonly idleTimeout: number
  readonly messagesPerSecondMax: number
}

export interface ListenRequest {
  readonly host: string
  /** 0 picks one. */
  readonly port: number
  /** Paths with the index that HEAD names. */
  readonly paths: readonly string[]
  readonly sockets: readonly { readonly path: string; readonly limits: SocketLimits }[]
}
