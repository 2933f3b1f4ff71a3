// What is said on the sockets, as values: each event that the server sends, and each channel that a
// client subscribes to. The AsyncAPI document, the table of channels and the checks of frames in
// tests are made from these values.

import type { Infer, Json, Schema } from '../../../edge/http/schema/schema.ts'

/** An event that the server sends; its name is that of the Socket.IO event. */
export interface DocumentedEvent {
  readonly name: string
  /** What it says: a sentence. */
  readonly about: string
  readonly payload: Schema
  readonly example: unknown
}

/** What a client sends, and what it hears from then on. */
export interface DocumentedChannel {
  readonly name: string
  readonly about: string
  /** Whether only a client with a good proof may send it. */
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
