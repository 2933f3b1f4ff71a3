import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Sequencer } from '../spine/sequencer.ts'

/** A token's last use is kept to the minute: a command for each call would double the journal. */
const NOTE_EVERY_MS = 60_000

/** Notes when each API token last signed a call. */
export class TokenUses {
  readonly #clearing: Clearing
  readonly #sequencer: Sequencer

  constructor({ clearing, sequencer }: { clearing: Clearing; sequencer: Sequencer }) {
    this.#clearing = clearing
    this.#sequencer = sequencer
  }

  /** Does nothing for an unknown token, within the minute, and when the journal has no room. */
  note(tokenId: string): void {
    const token = this.#clearing.accounts.tokenById(tokenId)
    if (token === undefined) return
    const nowMs = this.#sequencer.nowMs()
    if (token.lastUsedMs !== null && nowMs - token.lastUsedMs < NOTE_EVERY_MS) return
    this.#sequencer.change(() => ({ kind: 'touchToken', tokenId }))
  }
}
