// Open sessions in fixed-width rows. When a session ends, the last row moves into its place:
//
//   0 digest 32 │ 32 profile u32 │ 36 expires f64 │ 44 older u32 │ 48 newer u32 │ 52 next u32
//
// `older` and `newer` link all sessions by age. `next` links the sessions of one profile, oldest
// first.
// Invariant: row numbers have no gaps, so ended sessions take no memory.

import { assert } from '../../domain/assert.ts'
import type { ProfileId } from '../../domain/ids.ts'
import type { TimeMs } from '../../domain/units.ts'
import { ByteRows } from '../cells/byte-rows.ts'
import { bytesToHex, hexToBytes } from '../cells/digest.ts'
import { IdIndex, mixedHash } from '../cells/id-index.ts'

export interface Session {
  /** Lowercase hex SHA-256 of the cookie's value. */
  readonly digest: string
  readonly profileId: ProfileId
  readonly expiresMs: TimeMs
}

const DIGEST_BYTES = 32
const DIGEST = /^[0-9a-f]{64}$/
/** Bytes of a row stored in a snapshot: everything except the links. */
const KEPT_BYTES = 44
const PROFILE = 32
const EXPIRES = 36
const OLDER = 44
const NEWER = 48
const NEXT = 52
const ROW_BYTES = 56

export class Sessions {
  readonly #rows = new ByteRows(ROW_BYTES)
  readonly #byDigest = new IdIndex((row) => this.#u32(row, 0))
  /** The oldest row of each profile with sessions. */
  readonly #byProfile = new IdIndex((row) => mixedHash(0, this.#u32(row, PROFILE)))
  #oldest = 0
  #newest = 0

  get count(): number {
    return this.#rows.end - 1
  }

  /** When the oldest session expires; Infinity without sessions. */
  get oldestExpiresMs(): TimeMs {
    return this.#oldest === 0 ? Number.POSITIVE_INFINITY : this.#expiresMs(this.#oldest)
  }

  find(digest: string): Session | undefined {
    const row = this.#rowOf(digest)
    return row === 0 ? undefined : this.#sessionAt(row)
  }

  /** Oldest first. */
  *all(): Iterable<Session> {
    for (let row = this.#oldest; row !== 0; row = this.#u32(row, NEWER)) yield this.#sessionAt(row)
  }

  /** Sessions of a profile. Walks its chain, which is short. */
  countOf(profileId: ProfileId): number {
    let count = 0
    for (let row = this.#firstOf(profileId); row !== 0; row = this.#u32(row, NEXT)) count++
    return count
  }

  open({ digest, profileId, expiresMs }: Session): void {
    assert(DIGEST.test(digest), 'a session is kept as a digest')
    assert(this.#rowOf(digest) === 0, 'a session is opened once')
    const first = this.#firstOf(profileId)
    const row = this.#rows.add()
    this.#rows.bytes(row).set(hexToBytes(digest), this.#rows.at(row))
    this.#set(row, PROFILE, profileId)
    this.#rows.view(row).setFloat64(this.#rows.at(row) + EXPIRES, expiresMs, true)
    this.#set(row, OLDER, this.#newest)
    this.#set(row, NEWER, 0)
    this.#set(row, NEXT, 0)
    if (this.#newest === 0) this.#oldest = row
    else this.#set(this.#newest, NEWER, row)
    this.#newest = row
    this.#byDigest.add(row)
    if (first === 0) this.#byProfile.add(row)
    else this.#set(this.#lastFrom(first), NEXT, row)
  }

  /** Ends the session if it exists. */
  end(digest: string): void {
    const row = this.#rowOf(digest)
    if (row !== 0) this.#end(row)
  }

  endOldestOf(profileId: ProfileId): void {
    this.#end(this.#firstOf(profileId))
  }

  endAllOf(profileId: ProfileId): void {
    for (let row = this.#firstOf(profileId); row !== 0; row = this.#firstOf(profileId)) {
      this.#end(row)
    }
  }

  /** Ends the oldest expired sessions, at most `countMax`. */
  expire(nowMs: TimeMs, countMax: number): void {
    for (let ended = 0; ended < countMax && this.#oldest !== 0; ended++) {
      if (this.#expiresMs(this.#oldest) > nowMs) return
      this.#end(this.#oldest)
    }
  }

  /** The fields of each session, oldest first. Also used for the state hash. */
  capture(): Uint8Array {
    const all = new Uint8Array(this.count * KEPT_BYTES)
    let to = 0
    for (let row = this.#oldest; row !== 0; row = this.#u32(row, NEWER)) {
      const at = this.#rows.at(row)
      all.set(this.#rows.bytes(row).subarray(at, at + KEPT_BYTES), to)
      to += KEPT_BYTES
    }
    return all
  }

  restore(all: Uint8Array): void {
    assert(this.count === 0, 'only a fresh state is restored')
    const view = new DataView(all.buffer, all.byteOffset, all.byteLength)
    for (let at = 0; at < all.length; at += KEPT_BYTES) {
      this.open({
        digest: bytesToHex(all.subarray(at, at + DIGEST_BYTES)),
        profileId: view.getUint32(at + PROFILE, true),
        expiresMs: view.getFloat64(at + EXPIRES, true),
      })
    }
  }

  #end(row: number): void {
    assert(row !== 0, 'only an open session ends')
    const next = this.#u32(row, NEXT)
    const before = this.#beforeOf(row)
    if (before !== 0) this.#set(before, NEXT, next)
    else {
      this.#byProfile.remove(row)
      if (next !== 0) this.#byProfile.add(next)
    }
    this.#byDigest.remove(row)
    this.#join(this.#u32(row, OLDER), this.#u32(row, NEWER))
    const last = this.#rows.end - 1
    if (row !== last) this.#move(last, row)
    this.#rows.drop()
  }

  /** Moves a session to another row and updates all links to it. */
  #move(from: number, to: number): void {
    const before = this.#beforeOf(from)
    this.#byDigest.remove(from)
    if (before === 0) this.#byProfile.remove(from)
    const at = this.#rows.at(from)
    this.#rows.bytes(to).set(this.#rows.bytes(from).subarray(at, at + ROW_BYTES), this.#rows.at(to))
    this.#byDigest.add(to)
    if (before === 0) this.#byProfile.add(to)
    else this.#set(before, NEXT, to)
    this.#join(this.#u32(from, OLDER), to)
    this.#join(to, this.#u32(from, NEWER))
  }

  /** Links two rows as neighbours by age. 0 = the end of the chain. */
  #join(older: number, newer: number): void {
    if (older === 0) this.#oldest = newer
    else this.#set(older, NEWER, newer)
    if (newer === 0) this.#newest = older
    else this.#set(newer, OLDER, older)
  }

  /** The next older row of the same profile; 0 = none. */
  #beforeOf(row: number): number {
    let before = this.#firstOf(this.#u32(row, PROFILE))
    if (before === row) return 0
    while (this.#u32(before, NEXT) !== row) before = this.#u32(before, NEXT)
    return before
  }

  #rowOf(digest: string): number {
    if (!DIGEST.test(digest)) return 0
    const wanted = hexToBytes(digest)
    const hash = new DataView(wanted.buffer, wanted.byteOffset).getUint32(0, true)
    return this.#byDigest.find(hash, (row) => {
      const bytes = this.#rows.bytes(row)
      const at = this.#rows.at(row)
      return wanted.every((byte, index) => byte === bytes[at + index])
    })
  }

  #firstOf(profileId: ProfileId): number {
    const isIt = (row: number) => this.#u32(row, PROFILE) === profileId
    return this.#byProfile.find(mixedHash(0, profileId), isIt)
  }

  #lastFrom(first: number): number {
    let row = first
    while (this.#u32(row, NEXT) !== 0) row = this.#u32(row, NEXT)
    return row
  }

  #sessionAt(row: number): Session {
    const at = this.#rows.at(row)
    const digest = bytesToHex(this.#rows.bytes(row).subarray(at, at + DIGEST_BYTES))
    return { digest, profileId: this.#u32(row, PROFILE), expiresMs: this.#expiresMs(row) }
  }

  #expiresMs(row: number): TimeMs {
    return this.#rows.view(row).getFloat64(this.#rows.at(row) + EXPIRES, true)
  }

  #u32(row: number, field: number): number {
    return this.#rows.view(row).getUint32(this.#rows.at(row) + field, true)
  }

  #set(row: number, field: number, value: number): void {
    this.#rows.view(row).setUint32(this.#rows.at(row) + field, value, true)
  }
}
