// What frames may cost in a second, beside the bounds of engine/domain/limits.ts.

export interface FrameRates {
  /**
   * Frames of all books to all readers, and their bytes. Above either, books make fewer frames:
   * a book of 998 levels is 50 KB long, and with many readers it is paid more seldom.
   */
  readonly bookSendsPerSec: number
  readonly bookBytesPerSec: number
  /** Bytes of frames that are made whether they can be sent or not: tapes and news. */
  readonly tapeBytesPerSec: number
  /** Bytes to single readers: new ones, and those that were behind. */
  readonly firstBytesPerSec: number
  /** Bytes of the frames of all accounts. They wait, and none is left out. */
  readonly accountBytesPerSec: number
}

export const FRAME_RATES: FrameRates = {
  bookSendsPerSec: 25_000,
  bookBytesPerSec: 64 << 20,
  tapeBytesPerSec: 64 << 20,
  firstBytesPerSec: 32 << 20,
  accountBytesPerSec: 64 << 20,
}

/** A subscription counts once for each such part of the first frame of a market. */
export const REQUEST_UNIT_BYTES = 1024
