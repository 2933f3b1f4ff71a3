const payloads = Array.from({ length: 97 }, (_each, length) => new Uint8Array(length))

/** The payload of a frame: 0 to 96 bytes, each of them the low bits of the frame's number. */
export function payloadOf(frame: number): Uint8Array {
  return payloads[frame % 97].fill(frame & 0xff)
}
