import type { Seq } from '../domain/ids.ts'
import { HEAD } from './record-layout.ts'

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

// Hot callers view the same record several times, and records of the same ring repeatedly. A new
// view for each took a seventh of main's time, and the `buffer` getter, which is not compiled code,
// a fifteenth.
let seenBytes: Uint8Array = new Uint8Array(0)
let seenBuffer: ArrayBufferLike = seenBytes.buffer
let seenView: DataView = new DataView(seenBuffer)
let seenWords: Int32Array = new Int32Array(seenBuffer)

function see(bytes: Uint8Array): void {
  const { buffer } = bytes
  seenBytes = bytes
  if (buffer === seenBuffer) return
  seenBuffer = buffer
  seenView = new DataView(buffer)
  seenWords = new Int32Array(buffer, 0, buffer.byteLength >> 2)
}

/** A view of the whole buffer of `bytes`; add `bytes.byteOffset`. */
export function wholeViewOf(bytes: Uint8Array): DataView {
  if (bytes !== seenBytes) see(bytes)
  return seenView
}

/**
 * The words of the buffer of `bytes`, without a last partial word. A record starts at
 * `bytes.byteOffset >> 2`.
 */
export function wholeWordsOf(bytes: Uint8Array): Int32Array {
  if (bytes !== seenBytes) see(bytes)
  return seenWords
}

export function writeHead(
  view: DataView,
  kind: number,
  command: { seq: Seq; nowMs: number },
): void {
  view.setUint32(HEAD.bytes, view.byteLength, true)
  view.setUint8(HEAD.kind, kind)
  view.setFloat64(HEAD.seq, command.seq, true)
  view.setFloat64(HEAD.nowMs, command.nowMs, true)
}
