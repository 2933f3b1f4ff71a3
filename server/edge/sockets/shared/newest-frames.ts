// The newest frames of a broadcast group, for a reader that was behind. They are few, and a reader
// can take them all at once; bytes are counted too, because a frame may be long.

import { LIMITS } from '../../../../engine/domain/limits.ts'

export class NewestFrames {
  readonly #bytesMax: number
  #frames: { readonly index: number; readonly packet: Uint8Array }[] = []
  #bytes = 0
  /** Earlier frames are no longer kept. */
  #firstIndex = 0

  constructor(bytesMax: number = LIMITS.socketTapeBytesMax) {
    this.#bytesMax = bytesMax
  }

  /** `index` is the count of the frames that the group had before. */
  keep(index: number, packet: Uint8Array): void {
    this.#frames.push({ index, packet })
    this.#bytes += packet.length
    while (this.#frames.length > LIMITS.socketTapeFramesMax || this.#bytes > this.#bytesMax) {
      const dropped = this.#frames.shift()
      this.#bytes -= dropped?.packet.length ?? 0
      this.#firstIndex = (dropped?.index ?? 0) + 1
    }
  }

  /** The kept frames after the first `count` frames of the group. */
  since(count: number): Uint8Array[] {
    return this.#frames.filter(({ index }) => index >= count).map(({ packet }) => packet)
  }

  /** All frames after the first `count` frames; null when some of them are no longer kept. */
  missed(count: number): Uint8Array[] | null {
    return count < this.#firstIndex ? null : this.since(count)
  }
}
