// What a handler may return besides the plain value of its reply schema.

export type Header = readonly [name: string, value: string]

/** A body with a status or headers of its own. */
export class Reply<T> {
  readonly status: number
  readonly body: T
  readonly headers: readonly Header[]

  constructor(status: number, body: T, headers: readonly Header[]) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** A body that is already encoded. */
export class Bytes {
  readonly payload: Uint8Array | string
  readonly contentType: string
  readonly status: number

  constructor(payload: Uint8Array | string, contentType: string, status: number) {
    this.payload = payload
    this.contentType = contentType
    this.status = status
  }
}

export function reply<T>(status: number, body: T, headers: readonly Header[] = []): Reply<T> {
  return new Reply(status, body, headers)
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function bytes(payload: Uint8Array | string, contentType = JSON_TYPE, status = 200): Bytes {
  return new Bytes(payload, contentType, status)
}
