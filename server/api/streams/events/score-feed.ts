// The channels `subscribe_live_sports` and `subscribe_live_esports` (rules §12.8): scores by the
// slug of their match. A reader first gets the scores of the matches in play, then each change. If
// there are too many matches for the first frame, it has only the most recently changed ones; the
// others follow with their next change. A reader that missed too many frames is disconnected with
// the reason.

import type { Matches, PlacedMatch } from '../../../../engine/core/sports/matches.ts'
import { phaseOf } from '../../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../../engine/domain/sports/sport-limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import { packetOfText } from '../../../edge/sockets/packets.ts'
import type { BroadcastParts } from '../../../edge/sockets/shared/broadcast-group.ts'
import { EventGroup } from '../../../edge/sockets/shared/event-group.ts'
import { scoreView } from '../../sports/score-schema.ts'

export interface ScoreParts extends BroadcastParts {
  readonly matches: Matches
  /** The event of its frames; it determines the published matches. */
  readonly event: 'live_sports_update' | 'live_esports_update'
}

/** A slug contains no character that JSON escapes. */
function textOf(match: PlacedMatch): string[] {
  const { slug, score } = match
  return score === null ? [] : [`"${slug}":${JSON.stringify(scoreView(match, score))}`]
}

export class ScoreFeed {
  readonly group: EventGroup
  readonly #parts: ScoreParts
  #first: { readonly version: number; readonly packet: Uint8Array } | null = null

  constructor(parts: ScoreParts) {
    this.#parts = parts
    // The missed frames are first: they also include matches that ended.
    this.group = new EventGroup(parts.event, parts, {
      packet: () => this.#firstFrame(),
      bytesMax: SPORT_LIMITS.firstFrameBytesMax,
    })
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  scored(matches: readonly PlacedMatch[]): void {
    if (this.group.isEmpty) return
    try {
      edgePoint('at-socket-frame')
      const texts = matches.filter((each) => this.#reports(each)).flatMap(textOf)
      const most = SPORT_LIMITS.scoresPerFrameMax
      for (let at = 0; at < texts.length; at += most) {
        this.group.say(this.#packetOf(texts.slice(at, at + most)))
      }
    } catch (error) {
      this.#parts.fail(error, this.group.members)
    }
  }

  #reports({ sportType }: PlacedMatch): boolean {
    return (sportType === 'esports') === (this.#parts.event === 'live_esports_update')
  }

  #packetOf(texts: readonly string[]): Uint8Array {
    return packetOfText(this.#parts.event, `{${texts.join(',')}}`)
  }

  /** The scores of matches in play, most recently changed first, up to the size limit. */
  #firstFrame(): Uint8Array {
    const { version } = this.#parts.matches
    if (this.#first?.version === version) return this.#first.packet
    const live = [...this.#parts.matches.all()].filter((match) => {
      return this.#reports(match) && phaseOf(match.score) === 'live'
    })
    live.sort((one, other) => (other.score?.scoredMs ?? 0) - (one.score?.scoredMs ?? 0))
    const texts: string[] = []
    let leftBytes: number = SPORT_LIMITS.firstFrameBytesMax
    for (const match of live) {
      const [text = ''] = textOf(match)
      leftBytes -= Buffer.byteLength(text) + 1
      if (leftBytes < 0) break
      texts.push(text)
    }
    const packet = this.#packetOf(texts)
    this.#first = { version, packet }
    return packet
  }
}
