import type { Token } from '../../../engine/core/accounts/accounts.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** A token's last use is kept to the minute: a command for each call would double the journal. */
const NOTE_EVERY_MS = 60_000

/** Notes when each API token last signed a call. */
export class TokenUses {
  readonly #sequencer: Sequencer

  constructor(sequencer: Sequencer) {
    this.#sequencer = sequencer
  }

  /** Does nothing for an unknown token, within the minute, and when the journal is full. */
  note(token: Token | undefined): void {
    if (token === undefined) return
    const nowMs = this.#sequencer.nowMs()
    if (token.lastUsedMs !== null && nowMs - token.lastUsedMs < NOTE_EVERY_MS) return
    this.#sequencer.change(() => ({ kind: 'touchToken', tokenId: token.tokenId }))
  }
}
