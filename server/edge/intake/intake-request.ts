import { assert } from '../../../engine/domain/assert.ts'
import type { Ring } from '../../../engine/thread/ring.ts'
import {
  FORM,
  HEADER_CHARACTERS_MAX,
  openKey,
  REQUEST,
  TO_INTAKE,
} from '../../messages/intake-layout.ts'
import type { IntakeRequest } from '../../messages/order-intake.ts'

// Request frames: main writes them straight into the ring, and the intake thread reads them there.

const U16_MAX = 0xffff
const REQUEST_ID_MAX = 2 ** 30

function cut(text: string): string {
  return text.length > HEADER_CHARACTERS_MAX ? text.slice(0, HEADER_CHARACTERS_MAX) : text
}

/** Adds one request to the ring; does nothing and returns false when it does not fit. */
export function pushRequest(ring: Ring, shared: Buffer, request: IntakeRequest): boolean {
  assert(request.requestId < REQUEST_ID_MAX, 'the key of a request fits its word')
  const apiKey = cut(request.apiKey)
  const timestamp = cut(request.timestamp)
  const signature = cut(request.signature)
  const { idempotencyKey = '' } = request
  const apiKeyBytes = Buffer.byteLength(apiKey)
  const timestampBytes = Buffer.byteLength(timestamp)
  const signatureBytes = Buffer.byteLength(signature)
  const keyBytes = Buffer.byteLength(idempotencyKey)
  const methodBytes = Buffer.byteLength(request.method)
  const targetBytes = Buffer.byteLength(request.pathWithQuery)
  // Checked before the frame is reserved, because a reserved frame must be finished.
  assert(methodBytes <= U16_MAX, 'the length of a method fits its field')
  const proofBytes = apiKeyBytes + timestampBytes + signatureBytes
  const textBytes = methodBytes + proofBytes + keyBytes + targetBytes
  const frameBytes = REQUEST.texts + textBytes + request.body.length
  const at = ring.reserve(TO_INTAKE.REQUEST, frameBytes)
  if (at < 0) return false
  shared.writeUInt32LE(request.requestId, at + REQUEST.requestId)
  shared.writeUInt32LE(request.body.length, at + REQUEST.bodyBytes)
  shared.writeDoubleLE(request.nowMs, at + REQUEST.nowMs)
  shared.writeUInt16LE(methodBytes, at + REQUEST.methodBytes)
  shared.writeUInt16LE(apiKeyBytes, at + REQUEST.apiKeyBytes)
  shared.writeUInt16LE(timestampBytes, at + REQUEST.timestampBytes)
  shared.writeUInt16LE(signatureBytes, at + REQUEST.signatureBytes)
  shared.writeUInt32LE(targetBytes, at + REQUEST.targetBytes)
  shared.writeUInt16LE(request.form ?? FORM.ORDER, at + REQUEST.form)
  shared.writeUInt16LE(keyBytes, at + REQUEST.idempotencyKeyBytes)
  shared.writeDoubleLE(request.onBehalfOf ?? 0, at + REQUEST.onBehalfOf)
  let end = at + REQUEST.texts
  end += shared.write(request.method, end)
  end += shared.write(apiKey, end)
  end += shared.write(timestamp, end)
  end += shared.write(signature, end)
  if (keyBytes > 0) end += shared.write(idempotencyKey, end)
  end += shared.write(request.pathWithQuery, end)
  shared.set(request.body, end)
  assert(end + request.body.length === at + frameBytes, 'a request is written whole')
  return true
}

export const WORKING = { key: 0, ends: 1, words: 2 } as const

/** The key for no request, while a thread waits. */
export const AT_NOTHING = -1

/** The key of the request in a frame. */
export function frameKey(frame: Uint8Array): number {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const isGroup = view.getUint16(REQUEST.form, true) !== FORM.ORDER
  return openKey(view.getUint32(REQUEST.requestId, true), isGroup)
}

/** The request in a frame; its body is a view, valid until the frame is released. */
export function readRequest(frame: Uint8Array): IntakeRequest {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length)
  let end: number = REQUEST.texts
  const next = (length: number): string => {
    end += length
    return bytes.toString('utf8', end - length, end)
  }
  const method = next(bytes.readUInt16LE(REQUEST.methodBytes))
  const apiKey = next(bytes.readUInt16LE(REQUEST.apiKeyBytes))
  const timestamp = next(bytes.readUInt16LE(REQUEST.timestampBytes))
  const signature = next(bytes.readUInt16LE(REQUEST.signatureBytes))
  const idempotencyKey = next(bytes.readUInt16LE(REQUEST.idempotencyKeyBytes))
  const pathWithQuery = next(bytes.readUInt32LE(REQUEST.targetBytes))
  const bodyBytes = bytes.readUInt32LE(REQUEST.bodyBytes)
  assert(end + bodyBytes === frame.length, 'the parts of a request fill its frame')
  return {
    requestId: bytes.readUInt32LE(REQUEST.requestId),
    method,
    pathWithQuery,
    apiKey,
    timestamp,
    signature,
    body: bytes.subarray(end, end + bodyBytes),
    nowMs: bytes.readDoubleLE(REQUEST.nowMs),
    form: bytes.readUInt16LE(REQUEST.form),
    idempotencyKey,
    onBehalfOf: bytes.readDoubleLE(REQUEST.onBehalfOf),
  }
}
