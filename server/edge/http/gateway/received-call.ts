// Calls as they are read from a request of uWebSockets.js, which is valid only within its handler.

import type { HttpRequest } from 'uWebSockets.js'
import { type Call, joinHeader, NO_BYTES } from '../../../messages/call.ts'

/** Copies a request without its body. */
export function copied(request: HttpRequest, receivedMs: number): Call {
  const headers = new Map<string, string>()
  // The method is read first, because the library's other getter lowercases it in place.
  const method = request.getCaseSensitiveMethod()
  request.forEach((name, value) => {
    joinHeader(headers, name, value)
  })
  const path = request.getUrl()
  const query: string | undefined = request.getQuery()
  return {
    method,
    path,
    target: query === undefined ? path : `${path}?${query}`,
    query: query ?? '',
    headers,
    body: NO_BYTES,
    from: '',
    addressKey: '',
    isOwn: false,
    receivedMs,
    readMs: 0,
    timesRow: 0,
    isGone: false,
  }
}

export function joinChunks(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const body = new Uint8Array(sizeBytes)
  let atBytes = 0
  for (const chunk of chunks) {
    body.set(chunk, atBytes)
    atBytes += chunk.length
  }
  return body
}
