// The channels `subscribe_live_sports` and `subscribe_live_esports` (rules §12.8): scores by the
// slug of their match. A reader first gets the scores of the matches in play, then each change. So
// many matches may be in play that the first frame holds only those that changed last; the others
// come with their next change. A reader that missed too many frames is disconnected, and is told
// why.

import type { Matches, PlacedMatch } from '../../../../engine/core/sports/matches.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { phaseOf } from '../../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../../engine/domain/sports/sport-limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Refusal } from '../../../http/refusal.ts'
import { scoreView } from '../../../services/sports/score-content.ts'
import type { Channel } from '../../channels.ts'
import type { Member } from '../../member.ts'
import { packetOfText } from '../../packets.ts'
import { Room, type RoomParts } from '../../room.ts'
import { Ears } from './ears.ts'

export interface ScoreParts extends RoomParts {
  readonly matches: Matches
  /** Names its frames and says which matches it tells. */
  readonly event: 'live_sports_update' | 'live_esports_update'
}

const NAME = 'scores'

/** A slug has no sign that JSON escapes. */
function textOf(match: PlacedMatch): string[] {
  const { slug, score } = match
  return score === null ? [] : [`"${slug}":${JSON.stringify(scoreView(match, score))}`]
}

export class ScoreFeed implements Channel {
  readonly isPrivate = false
  readonly #parts: ScoreParts
  readonly #room: Room
  readonly #ears = new Ears()
  /** The newest frames, which a reader that was behind still gets. */
  #newest: { readonly index: number; readonly packet: Uint8Array }[] = []
  #newestBytes = 0
  /** Frames before it are in `#newest` no more. */
  #lostCount = 0
  #first: { readonly version: number; readonly packet: Uint8Array } | null = null

  constructor(parts: ScoreParts) {
    this.#parts = parts
    this.#room = new Room(parts.event, parts, { since: (count) => this.#since(count) })
  }

  subscribe(member: Member): Refusal | null {
    const refusal = this.#ears.refusalOf(member, 1, 1)
    if (refusal === null) this.#ears.set(member, new Map([[NAME, this.#room]]))
    return refusal
  }

  unsubscribe(member: Member): void {
    this.#ears.drop(member, [NAME])
  }

  left(member: Member): void {
    this.#ears.drop(member, [NAME])
  }

  /** The pipeline calls this, so a fault in a frame must not be thrown. */
  scored(matches: readonly PlacedMatch[]): void {
    if (this.#room.isEmpty) return
    try {
      edgePoint('at-socket-frame')
      const texts = matches.filter((each) => this.#tells(each)).flatMap(textOf)
      const most = SPORT_LIMITS.scoresPerFrameMax
      for (let at = 0; at < texts.length; at += most) this.#say(texts.slice(at, at + most))
    } catch (error) {
      this.#parts.fail(error, this.#room.members)
    }
  }

  #tells({ sportType }: PlacedMatch): boolean {
    return (sportType === 'esports') === (this.#parts.event === 'live_esports_update')
  }

  #say(texts: readonly string[]): void {
    const packet = this.#packetOf(texts)
    this.#newest.push({ index: this.#room.count, packet })
    this.#newestBytes += packet.length
    const { socketTapeFramesMax, socketTapeBytesMax } = LIMITS
    while (
      this.#newest.length > socketTapeFramesMax ||
      this.#newestBytes > socketTapeBytesMax - SPORT_LIMITS.firstFrameBytesMax
    ) {
      const dropped = this.#newest.shift()
      this.#newestBytes -= dropped?.packet.length ?? 0
      this.#lostCount = (dropped?.index ?? 0) + 1
    }
    this.#room.say(packet)
  }

  #packetOf(texts: readonly string[]): Uint8Array {
    return packetOfText(this.#parts.event, `{${texts.join(',')}}`)
  }

  /** The frames that were missed come first: they also tell of matches that ended. */
  #since(count: number): Uint8Array[] | null {
    if (count < this.#lostCount) return null
    const missed = this.#newest.filter(({ index }) => index >= count)
    return [...missed.map(({ packet }) => packet), this.#firstFrame()]
  }

  /** The scores of matches in play, those that changed last first, as far as they have room. */
  #firstFrame(): Uint8Array {
    const { version } = this.#parts.matches
    if (this.#first?.version === version) return this.#first.packet
    const live = [...this.#parts.matches.all()].filter((match) => {
      return this.#tells(match) && phaseOf(match.score) === 'live'
    })
    live.sort((one, other) => (other.score?.scoredMs ?? 0) - (one.score?.scoredMs ?? 0))
    const texts: string[] = []
    let leftBytes: number = SPORT_LIMITS.firstFrameBytesMax
    for (const text of live.flatMap(textOf)) {
      leftBytes -= Buffer.byteLength(text) + 1
      if (leftBytes < 0) break
      texts.push(text)
    }
    const packet = this.#packetOf(texts)
    this.#first = { version, packet }
    return packet
  }
}
