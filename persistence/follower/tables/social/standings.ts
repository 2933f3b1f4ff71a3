import { assert } from '../../../../engine/domain/assert.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { minuteOf } from '../../../../engine/domain/rewards/reward-time.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import { endsOf, foldedName, prefixesOf } from './searched-name.ts'

// Each profile's standing in profile searches: its names, followers and volume. Its search rows are
// rewritten when its names or followers change, or when it trades for the first time. For its
// volume they are rewritten at most once a minute of journal time, several profiles per chunk;
// until then its standing is due.
// Invariant: name, handle, followers, shown volume and has_traded of a standing equal those of its
// rows in the tables of prefixes and parts.

const MAKE = `
INSERT INTO profile_standings (profile_id, followers, volume_raw, has_traded, is_machine, shown_raw,
  is_due) VALUES (?, 0, 0, 0, ?, 0, 0)`
const MARK = 'UPDATE profile_standings SET is_machine = ? WHERE profile_id = ?'
const ADD_VOLUME = `
UPDATE profile_standings
SET volume_raw = min(volume_raw + ?, ${Number.MAX_SAFE_INTEGER}), is_due = 1
WHERE profile_id = ? RETURNING has_traded AS hasTraded`
const DUE = `
SELECT profile_id AS profileId FROM profile_standings
WHERE is_due = 1 AND profile_id > ? ORDER BY profile_id LIMIT ?`
const FIND = `
SELECT followers, volume_raw AS volumeRaw, has_traded AS hasTraded, shown_raw AS shownRaw, name,
  handle
FROM profile_standings WHERE profile_id = ?`
const NAMES = 'SELECT username, x_handle AS handle FROM profiles WHERE profile_id = ?'
const STAND = `
UPDATE profile_standings
SET followers = ?, has_traded = ?, shown_raw = ?, is_due = 0, name = ?, handle = ?
WHERE profile_id = ?`
const ADD_PREFIX = `
INSERT INTO profile_prefixes (prefix, is_handle, is_whole, has_traded, followers, volume_raw,
  profile_id) VALUES (?, ?, ?, ?, ?, ?, ?)`
const DROP_PREFIX = `
DELETE FROM profile_prefixes WHERE prefix = ? AND is_handle = ? AND is_whole = ? AND has_traded = ?
  AND followers = ? AND volume_raw = ? AND profile_id = ?`
const ADD_PART = 'INSERT INTO profile_parts (part, profile_id) VALUES (?, ?)'
const DROP_PART = 'DELETE FROM profile_parts WHERE part = ? AND profile_id = ?'

/** Profiles whose volume is updated per minute, and per chunk. */
const DUE_MAX = 4096
const DUE_PER_CHUNK = 32

type Flag = 0 | 1

interface Standing {
  readonly followers: number
  readonly shownRaw: number
  readonly hasTraded: Flag
  readonly name: string | null
  readonly handle: string | null
}

interface Names {
  readonly username: string | null
  readonly handle: string | null
}

type PrefixRow = [
  ...what: [prefix: string, isHandle: Flag, isWhole: Flag],
  ...standing: [hasTraded: Flag, followers: number, volumeRaw: number],
  profileId: ProfileId,
]

/** The state that the table reads. */
export interface StandingsWorld {
  followersOf(profileId: ProfileId): number
  nowMs(): TimeMs
}

export class StandingsTable {
  readonly #world: StandingsWorld
  readonly #make: Statement<[ProfileId, isMachine: Flag]>
  readonly #mark: Statement<[isMachine: Flag, ProfileId]>
  readonly #addVolume: Statement<[number, ProfileId], { hasTraded: Flag }>
  readonly #dueNow: Statement<[after: ProfileId, limit: number], { profileId: ProfileId }>
  readonly #find: Statement<[ProfileId], Standing & { volumeRaw: number }>
  readonly #names: Statement<[ProfileId], Names>
  readonly #stand: Statement<
    [number, Flag, number, string | null, string | null, profileId: ProfileId]
  >
  readonly #addPrefix: Statement<PrefixRow>
  readonly #dropPrefix: Statement<PrefixRow>
  readonly #addPart: Statement<[string, ProfileId]>
  readonly #dropPart: Statement<[string, ProfileId]>
  /** Since the last flush. */
  #made: [ProfileId, isMachine: Flag][] = []
  readonly #marked = new Map<ProfileId, Flag>()
  readonly #volumes = new Map<ProfileId, number>()
  /** Profiles whose rows are checked in this chunk. */
  readonly #changed = new Set<ProfileId>()
  /** The last minute in which volumes became due, and the due profiles. */
  #minute = 0
  #rounds: ProfileId[] = []
  /** Due profiles are processed by ascending id; this one was the last. */
  #afterId: ProfileId = 0

  constructor(connection: Connection, world: StandingsWorld) {
    this.#world = world
    this.#make = connection.prepare(MAKE)
    this.#mark = connection.prepare(MARK)
    this.#addVolume = connection.prepare(ADD_VOLUME)
    this.#dueNow = connection.prepare(DUE)
    this.#find = connection.prepare(FIND)
    this.#names = connection.prepare(NAMES)
    this.#stand = connection.prepare(STAND)
    this.#addPrefix = connection.prepare(ADD_PREFIX)
    this.#dropPrefix = connection.prepare(DROP_PREFIX)
    this.#addPart = connection.prepare(ADD_PART)
    this.#dropPart = connection.prepare(DROP_PART)
  }

  /** Adds a new profile. */
  made(profileId: ProfileId, isMachine: boolean): void {
    this.#made.push([profileId, isMachine ? 1 : 0])
    this.#changed.add(profileId)
  }

  edited(profileId: ProfileId, isMachine: boolean | undefined): void {
    if (isMachine !== undefined) this.#marked.set(profileId, isMachine ? 1 : 0)
    this.#changed.add(profileId)
  }

  /** Its names or followers may have changed. */
  changed(profileId: ProfileId): void {
    this.#changed.add(profileId)
  }

  traded(profileId: ProfileId, collateralRaw: number): void {
    this.#volumes.set(profileId, (this.#volumes.get(profileId) ?? 0) + collateralRaw)
  }

  /** Runs inside the chunk's transaction, after profiles are written. */
  flush(pace: Pace): void {
    eachPaced(this.#made, pace, (row) => this.#make.run(...row))
    this.#made = []
    eachPaced(this.#marked, pace, ([profileId, flag]) => this.#mark.run(flag, profileId))
    this.#marked.clear()
    eachPaced(this.#volumes, pace, ([profileId, raw]) => {
      const hadTraded = this.#addVolume.get(raw, profileId)?.hasTraded === 1
      if (!hadTraded) this.#changed.add(profileId)
    })
    for (const profileId of this.#nextDue()) this.#changed.add(profileId)
    eachPaced(this.#changed, pace, (profileId) => this.#write(profileId))
    this.#volumes.clear()
    this.#changed.clear()
  }

  #nextDue(): readonly ProfileId[] {
    const minute = minuteOf(this.#world.nowMs())
    if (this.#rounds.length === 0 && minute > this.#minute) {
      this.#minute = minute
      this.#rounds = this.#dueNow.all(this.#afterId, DUE_MAX).map(({ profileId }) => profileId)
      this.#afterId = this.#rounds.length < DUE_MAX ? 0 : (this.#rounds.at(-1) ?? 0)
    }
    return this.#rounds.splice(0, DUE_PER_CHUNK)
  }

  #write(profileId: ProfileId): void {
    const before = this.#find.get(profileId)
    const names = this.#names.get(profileId)
    assert(before !== undefined && names !== undefined, 'a changed profile has its rows')
    const { username, handle } = names
    const after: Standing = {
      followers: this.#world.followersOf(profileId),
      shownRaw: before.volumeRaw,
      hasTraded: this.#volumes.has(profileId) ? 1 : before.hasTraded,
      name: username === null ? null : foldedName(username),
      handle: handle === null ? null : foldedName(handle),
    }
    const { followers, shownRaw, hasTraded } = after
    this.#stand.run(followers, hasTraded, shownRaw, after.name, after.handle, profileId)
    const isFoundElsewhere =
      followers !== before.followers ||
      shownRaw !== before.shownRaw ||
      hasTraded !== before.hasTraded
    this.#writeName(profileId, before, after, isFoundElsewhere)
    if (isFoundElsewhere || before.handle !== after.handle) {
      this.#eachPrefix(profileId, before, 1, (row) => this.#dropPrefix.run(...row))
      this.#eachPrefix(profileId, after, 1, (row) => this.#addPrefix.run(...row))
    }
  }

  #writeName(profileId: ProfileId, before: Standing, after: Standing, isMoved: boolean): void {
    const isRenamed = before.name !== after.name
    if (isMoved || isRenamed) {
      this.#eachPrefix(profileId, before, 0, (row) => this.#dropPrefix.run(...row))
      this.#eachPrefix(profileId, after, 0, (row) => this.#addPrefix.run(...row))
    }
    if (!isRenamed && before.hasTraded === after.hasTraded) return
    for (const part of partsOf(before)) this.#dropPart.run(part, profileId)
    for (const part of partsOf(after)) this.#addPart.run(part, profileId)
  }

  #eachPrefix(
    profileId: ProfileId,
    { name, handle, hasTraded, followers, shownRaw }: Standing,
    isHandle: Flag,
    work: (row: PrefixRow) => void,
  ): void {
    const whole = isHandle === 1 ? handle : name
    if (whole === null) return
    for (const prefix of prefixesOf(whole)) {
      const isWhole = prefix === whole ? 1 : 0
      work([prefix, isHandle, isWhole, hasTraded, followers, shownRaw, profileId])
    }
  }
}

function partsOf({ name, hasTraded }: Standing): readonly string[] {
  // A name may repeat itself, but no two of its suffixes are equal.
  return name === null || hasTraded === 0 ? [] : endsOf(name)
}
