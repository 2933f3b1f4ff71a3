// The socket protocol as values: each event that the server sends, and each channel that a client
// subscribes to. The AsyncAPI document, the table of channels and the frame checks in tests are
// generated from these values.

import type { Infer, Json, Schema } from '../../../edge/http/schema/schema.ts'

/** An event that the server sends, with the name of the Socket.IO event. */
export interface DocumentedEvent {
  readonly name: string
  /** A sentence that describes it. */
  readonly about: string
  readonly payload: Schema
  readonly example: unknown
}

/** The message that a client sends, and the events that it then receives. */
export interface DocumentedChannel {
  readonly name: string
  readonly about: string
  /** Whether only an authenticated client may send it. */
  readonly isPrivate: boolean
  readonly payload: Schema
  readonly example: unknown
  readonly events: readonly DocumentedEvent[]
}

export function event<S extends Schema>(stated: {
  readonly name: string
  readonly about: string
  readonly payload: S
  readonly example: Infer<S> & Json
}): DocumentedEvent {
  return stated
}

export function channel<S extends Schema>(stated: {
  readonly name: string
  readonly about: string
  readonly isPrivate: boolean
  readonly payload: S
  readonly example: Infer<S> & Json
  readonly events: readonly DocumentedEvent[]
}): DocumentedChannel {
  return stated
}
