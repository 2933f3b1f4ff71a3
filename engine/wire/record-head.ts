import type { Seq } from '../domain/ids.ts'
import { HEAD } from './record-layout.ts'

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

let seenView: DataView = new DataView(new ArrayBuffer(0))

/**
 * A view of the whole buffer that holds `bytes`; add `bytes.byteOffset`. Hot callers use the same
 * ring again and again, and a new view for each record took a seventh of main's time.
 */
export function wholeViewOf(bytes: Uint8Array): DataView {
  if (seenView.buffer !== bytes.buffer) seenView = new DataView(bytes.buffer)
  return seenView
}

let seenWords: Int32Array = new Int32Array(0)

/**
 * The words of the buffer that holds `bytes`. They leave out a last part of less than a word. A
 * record starts at `bytes.byteOffset >> 2`.
 */
export function wholeWordsOf(bytes: Uint8Array): Int32Array {
  const { buffer } = bytes
  if (seenWords.buffer !== buffer) seenWords = new Int32Array(buffer, 0, buffer.byteLength >> 2)
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
