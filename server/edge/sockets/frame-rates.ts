// The costs that frames may have per second, in addition to engine/domain/limits.ts.

export interface FrameRates {
  /**
   * Frames of all books to all readers, and their bytes. Above either, books send fewer frames: a
   * book of 998 levels is 50 KB long, and with many readers it is sent less often.
   */
  readonly bookSendsPerSec: number
  readonly bookBytesPerSec: number
  /** Bytes of frames that are built whether they can be sent or not: tapes and events. */
  readonly tapeBytesPerSec: number
  /** Bytes to single readers: new ones, and those that were behind. */
  readonly firstBytesPerSec: number
  /** Bytes of the frames of all accounts. They may wait, but none is left out. */
  readonly accountBytesPerSec: number
}

export const FRAME_RATES: FrameRates = {
  bookSendsPerSec: 25_000,
  bookBytesPerSec: 64 << 20,
  tapeBytesPerSec: 64 << 20,
  firstBytesPerSec: 32 << 20,
  accountBytesPerSec: 64 << 20,
}

/** Each edge thread writes to its own readers; the network is shared. */
export function frameRatesOf(edgeThreads: number): FrameRates {
  const { bookSendsPerSec } = FRAME_RATES
  return { ...FRAME_RATES, bookSendsPerSec: bookSendsPerSec * Math.max(1, edgeThreads) }
}

/** A subscription costs one unit per this many bytes of the first frame of a market. */
export const REQUEST_UNIT_BYTES = 1024
