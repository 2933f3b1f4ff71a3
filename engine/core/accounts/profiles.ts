// Profile fields that the core needs, in fixed-width rows:
//
//   0 address 20 │ 20 capital letters 5 │ 25 scopes u8 │ 26 rank u16 │ 28 fee cap i16 │
//   30 hash of its username 2 × u32 │ 38 its smart wallet u32
//
// All other fields are in read.db. A digest of all changes is kept here, so that the state hash
// covers them. A username is stored as the first half of its SHA-256: among eight million names, a
// collision has a chance of one in half a billion.
// Invariants: addresses and usernames are unique; ids count from 1.

import { assert } from '../../domain/assert.ts'
import {
  SCOPES as ALL_SCOPES,
  type ProfileChange,
  type ProfileFields,
  type Rank,
  type Scope,
} from '../../domain/command.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { FeeBps, TimeMs } from '../../domain/units.ts'
import {
  ADDRESS_BYTES,
  readAddress,
  readCasedAddress,
  writeAddress,
  writeCase,
} from '../cells/address-bytes.ts'
import { ByteRows } from '../cells/byte-rows.ts'
import { bytesToHex, sha256, utf8ToBytes } from '../cells/digest.ts'
import { fieldsOf, hashedFieldsOf } from '../cells/hashed-fields.ts'
import { IdIndex, mixedHash } from '../cells/id-index.ts'

export interface Profile {
  readonly profileId: ProfileId
  readonly account: string
  /** In lower case; null if there is none. */
  readonly smartWallet: string | null
  readonly rank: Rank | null
  readonly feeCapBps: FeeBps | null
  readonly scopes: readonly Scope[]
}

export interface CapturedProfiles {
  readonly rows: Uint8Array
  readonly wallets: Uint8Array
  readonly ranks: readonly Rank[]
  readonly textDigest: string
}

/**
 * min(rank rate, cap); null without a rank, because such a profile cannot pay fees (rules §3.3).
 */
export function effectiveFeeBps(profile: Pick<ProfileFields, 'rank' | 'feeCapBps'>): FeeBps | null {
  if (profile.rank === null) return null
  return Math.min(profile.rank.feeRateBps, profile.feeCapBps ?? profile.rank.feeRateBps)
}

export const NO_FEE_RATE = -1
const CASE = 20
const SCOPES = 25
const RANK = 26
const CAP = 28
const NAME_HIGH = 30
const NAME_LOW = 34
const WALLET = 38
const ROW_BYTES = 42
const NO_CAP = -1
const FIRST_FEES = 1024

const wanted = new Uint8Array(ADDRESS_BYTES)

/** Hash of the lowercase name. At least one half is not 0. */
function nameHash(username: string): readonly [high: number, low: number] {
  const bytes = sha256(utf8ToBytes(username.toLowerCase()))
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return [view.getUint32(0, true), view.getUint32(4, true) || 1]
}

export class Profiles {
  readonly #rows = new ByteRows(ROW_BYTES)
  readonly #wallets = new ByteRows(ADDRESS_BYTES)
  readonly #ranks: Rank[] = []
  readonly #byAddress = new IdIndex((id) =>
    mixedHash(this.#u32(id, ADDRESS_BYTES - 8), this.#u32(id, ADDRESS_BYTES - 4)),
  )
  readonly #byUsername = new IdIndex((id) => this.#u32(id, NAME_HIGH))
  /**
   * Effective fee rate by profile id, or NO_FEE_RATE. It is all that an order reads of a profile.
   */
  #feeBps = new Int16Array(FIRST_FEES)
  #textDigest = ''

  get count(): number {
    return this.#rows.end - 1
  }

  #isThere(profileId: ProfileId): boolean {
    return profileId > 0 && profileId < this.#rows.end
  }

  byId(profileId: ProfileId): Profile | undefined {
    if (!this.#isThere(profileId)) return undefined
    const rank = this.#view(profileId).getUint16(this.#rows.at(profileId) + RANK, true)
    const feeCapBps = this.#view(profileId).getInt16(this.#rows.at(profileId) + CAP, true)
    const bits = this.#rows.bytes(profileId)[this.#rows.at(profileId) + SCOPES]
    return {
      profileId,
      account: this.#accountAt(profileId),
      smartWallet: this.#walletAt(profileId),
      rank: rank === 0 ? null : this.#ranks[rank - 1],
      feeCapBps: feeCapBps === NO_CAP ? null : feeCapBps,
      scopes: ALL_SCOPES.filter((_scope, index) => ((bits >> index) & 1) === 1),
    }
  }

  accountOf(profileId: ProfileId): string | undefined {
    return this.#isThere(profileId) ? this.#accountAt(profileId) : undefined
  }

  hasSmartWallet(profileId: ProfileId): boolean {
    return this.#isThere(profileId) && this.#u32(profileId, WALLET) !== 0
  }

  /** The fee rate of the profile's orders; NO_FEE_RATE if it has none. */
  feeBpsOf(profileId: ProfileId): number {
    return this.#isThere(profileId) ? this.#feeBps[profileId] : NO_FEE_RATE
  }

  /** The profile id; 0 = none. Case-insensitive. */
  idByAddress(address: string): number {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 0
    writeAddress(address, wanted, 0)
    const view = new DataView(wanted.buffer)
    const high = view.getUint32(ADDRESS_BYTES - 8, true)
    const hash = mixedHash(high, view.getUint32(ADDRESS_BYTES - 4, true))
    return this.#byAddress.find(hash, this.#hasWantedAddress)
  }

  readonly #hasWantedAddress = (id: number): boolean => {
    const bytes = this.#rows.bytes(id)
    const at = this.#rows.at(id)
    for (let index = 0; index < ADDRESS_BYTES; index++) {
      if (bytes[at + index] !== wanted[index]) return false
    }
    return true
  }

  /** The profile id; 0 = none. Case-insensitive. */
  idByUsername(username: string): number {
    const [high, low] = nameHash(username)
    const isIt = (id: number) =>
      this.#u32(id, NAME_HIGH) === high && this.#u32(id, NAME_LOW) === low
    return this.#byUsername.find(high, isIt)
  }

  create(profileId: ProfileId, fields: ProfileFields, nowMs: TimeMs): void {
    const { account, ...stated } = fields
    assert(this.idByAddress(account) === 0, 'an address belongs to one profile')
    assert(this.#rows.add() === profileId, 'ids count from 1')
    const bytes = this.#rows.bytes(profileId)
    const at = this.#rows.at(profileId)
    writeAddress(account, bytes, at)
    writeCase(account, bytes, at + CASE)
    this.#view(profileId).setInt16(at + CAP, NO_CAP, true)
    this.#byAddress.add(profileId)
    this.#note(['made', profileId, account, nowMs, ...hashedFieldsOf(stated)])
    this.#write(profileId, stated)
  }

  /** Absent fields keep their values. */
  edit(profileId: ProfileId, change: ProfileChange): void {
    assert(this.#isThere(profileId), 'only an existing profile is edited')
    this.#note(['said', profileId, ...fieldsOf(change)])
    this.#write(profileId, change)
  }

  #write(profileId: ProfileId, change: ProfileChange): void {
    const at = this.#rows.at(profileId)
    const view = this.#view(profileId)
    if (change.username !== undefined) this.#rename(profileId, change.username)
    if (change.smartWallet) this.#setWallet(profileId, change.smartWallet)
    if (change.rank !== undefined) view.setUint16(at + RANK, this.#rankOf(change.rank), true)
    if (change.feeCapBps !== undefined) view.setInt16(at + CAP, change.feeCapBps ?? NO_CAP, true)
    if (change.scopes !== undefined) view.setUint8(at + SCOPES, scopeBits(change.scopes))
    this.#refreshFee(profileId)
  }

  /** Chains a digest over all profile changes. */
  #note(stated: readonly unknown[]): void {
    this.#textDigest = bytesToHex(sha256(utf8ToBytes(this.#textDigest + JSON.stringify(stated))))
  }

  #rename(profileId: ProfileId, username: string | null): void {
    const at = this.#rows.at(profileId)
    const view = this.#view(profileId)
    if (this.#u32(profileId, NAME_LOW) !== 0) this.#byUsername.remove(profileId)
    const [high, low] = username === null ? [0, 0] : nameHash(username)
    assert(
      username === null || this.idByUsername(username) === 0,
      'a username belongs to one profile',
    )
    view.setUint32(at + NAME_HIGH, high, true)
    view.setUint32(at + NAME_LOW, low, true)
    if (username !== null) this.#byUsername.add(profileId)
  }

  #setWallet(profileId: ProfileId, smartWallet: string): void {
    const row = this.#u32(profileId, WALLET) || this.#wallets.add()
    writeAddress(smartWallet, this.#wallets.bytes(row), this.#wallets.at(row))
    this.#view(profileId).setUint32(this.#rows.at(profileId) + WALLET, row, true)
  }

  /**
   * The number of a rank; 0 = none. There are few ranks, so each is stored once, in order of first
   * use.
   */
  #rankOf(rank: Rank | null): number {
    if (rank === null) return 0
    const { id, name, feeRateBps } = rank
    const isIt = (each: Rank) =>
      each.id === id && each.name === name && each.feeRateBps === feeRateBps
    const known = this.#ranks.findIndex(isIt)
    if (known >= 0) return known + 1
    assert(this.#ranks.length < LIMITS.ranksMax, 'the number of ranks is limited')
    return this.#ranks.push({ id, name, feeRateBps })
  }

  #refreshFee(profileId: ProfileId): void {
    if (profileId >= this.#feeBps.length) {
      const wider = new Int16Array(this.#feeBps.length * 2)
      wider.set(this.#feeBps)
      this.#feeBps = wider
    }
    const at = this.#rows.at(profileId)
    const rank = this.#view(profileId).getUint16(at + RANK, true)
    const cap = this.#view(profileId).getInt16(at + CAP, true)
    const feeCapBps = cap === NO_CAP ? null : cap
    const profile = { rank: rank === 0 ? null : this.#ranks[rank - 1], feeCapBps }
    this.#feeBps[profileId] = effectiveFeeBps(profile) ?? NO_FEE_RATE
  }

  #view(profileId: ProfileId): DataView {
    return this.#rows.view(profileId)
  }

  #u32(profileId: ProfileId, field: number): number {
    return this.#view(profileId).getUint32(this.#rows.at(profileId) + field, true)
  }

  #accountAt(profileId: ProfileId): string {
    const at = this.#rows.at(profileId)
    return readCasedAddress(this.#rows.bytes(profileId), at, at + CASE)
  }

  #walletAt(profileId: ProfileId): string | null {
    const row = this.#u32(profileId, WALLET)
    return row === 0 ? null : readAddress(this.#wallets.bytes(row), this.#wallets.at(row))
  }

  /** The full state, for the state hash. */
  *hashedFields(): Iterable<unknown> {
    yield ['profiles', this.count, this.#wallets.end - 1, this.#textDigest]
    for (const rank of this.#ranks) yield hashedFieldsOf(rank)
    yield* this.#rows.parts()
    yield* this.#wallets.parts()
  }

  capture(): CapturedProfiles {
    return {
      rows: this.#rows.capture(),
      wallets: this.#wallets.capture(),
      ranks: this.#ranks.slice(),
      textDigest: this.#textDigest,
    }
  }

  restore({ rows, wallets, ranks, textDigest }: CapturedProfiles): void {
    assert(this.count === 0, 'only a fresh state is restored')
    this.#rows.restore(rows)
    this.#wallets.restore(wallets)
    this.#ranks.push(...ranks)
    this.#textDigest = textDigest
    for (let profileId = 1; profileId <= this.count; profileId++) {
      this.#byAddress.add(profileId)
      if (this.#u32(profileId, NAME_LOW) !== 0) this.#byUsername.add(profileId)
      this.#refreshFee(profileId)
    }
  }
}

/** The addresses of captured profiles, 20 bytes each, starting with profile 1. */
export function addressesOf({ rows }: CapturedProfiles): Uint8Array {
  const count = rows.length / ROW_BYTES
  const addresses = new Uint8Array(count * ADDRESS_BYTES)
  for (let index = 0; index < count; index++) {
    const at = index * ROW_BYTES
    addresses.set(rows.subarray(at, at + ADDRESS_BYTES), index * ADDRESS_BYTES)
  }
  return addresses
}

function scopeBits(scopes: readonly Scope[]): number {
  let bits = 0
  for (const [index, scope] of ALL_SCOPES.entries()) if (scopes.includes(scope)) bits |= 1 << index
  return bits
}
