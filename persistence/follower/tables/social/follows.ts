import type { CommandOf } from '../../../../engine/domain/command-kinds.ts'
import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

// Follows, with the command of each.

const PUT = 'INSERT OR REPLACE INTO follows (owner, followed, seq) VALUES (?, ?, ?)'
const DROP = 'DELETE FROM follows WHERE owner = ? AND followed = ?'

export type FollowCommand = Extract<
  CommandOf<'social'>,
  { kind: 'followProfile' | 'unfollowProfile' }
>

export class FollowsTable {
  readonly #put: Statement<[ProfileId, ProfileId, Seq]>
  readonly #drop: Statement<[ProfileId, ProfileId]>
  /** Commands since the last flush, in journal order. */
  #waiting: FollowCommand[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
    this.#drop = connection.prepare(DROP)
  }

  applied(command: FollowCommand): void {
    this.#waiting.push(command)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#waiting, pace, ({ kind, profileId, followedId, seq }) => {
      if (kind === 'followProfile') this.#put.run(profileId, followedId, seq)
      else this.#drop.run(profileId, followedId)
    })
    this.#waiting = []
  }
}
