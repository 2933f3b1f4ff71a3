import { HEAD } from './layout.ts'

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function writeHead(
  view: DataView,
  kind: number,
  command: { seq: number; nowMs: number },
): void {
  view.setUint32(HEAD.bytes, view.byteLength, true)
  view.setUint8(HEAD.kind, kind)
  view.setFloat64(HEAD.seq, command.seq, true)
  view.setFloat64(HEAD.nowMs, command.nowMs, true)
}
