// The fields of a profile that the core needs, in a row of fixed width:
//
//   0 address 20 │ 20 capital letters 5 │ 25 scopes u8 │ 26 rank u16 │ 28 fee cap i16 │
//   30 hash of its username 2 × u32 │ 38 its smart wallet u32
//
// All other fields of a profile stand in read.db. A digest of everything ever said is kept here, so
// that the state hash covers it. A username is kept as the first half of its SHA-256: among eight
// million names, two are alike by chance once in half a billion exchanges.
// Invariants: an address and a username each name one profile; ids count from 1.

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
  /** In lower case; null without a wallet. */
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

/** min(rank rate, cap); null without a rank: such a profile cannot pay fees (rules §3.3). */
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

/** The hash of the name in lower case. It is never 0 in both halves. */
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
   * Effective fee rate by profile id; NO_FEE_RATE without one. An order reads no more of a profile.
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

  /** The fee rate of the profile's orders; NO_FEE_RATE when there is none. */
  feeBpsOf(profileId: ProfileId): number {
    return this.#isThere(profileId) ? this.#feeBps[profileId] : NO_FEE_RATE
  }

  /** The profile id; 0 for none. The letter case does not matter. */
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

  /** The profile id; 0 for none. The letter case does not matter. */
  idByUsername(username: string): number {
    const [high, low] = nameHash(username)
    const isIt = (id: number) =>
      this.#u32(id, NAME_HIGH) === high && this.#u32(id, NAME_LOW) === low
    return this.#byUsername.find(high, isIt)
  }

  create(profileId: ProfileId, fields: ProfileFields, nowMs: TimeMs): void {
    const { account, ...stated } = fields
    assert(this.idByAddress(account) === 0, 'an address names one profile')
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

  /** An absent field stays as it was. */
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

  /** Chains a digest over all that was ever said of profiles. */
  #note(stated: readonly unknown[]): void {
    this.#textDigest = bytesToHex(sha256(utf8ToBytes(this.#textDigest + JSON.stringify(stated))))
  }

  #rename(profileId: ProfileId, username: string | null): void {
    const at = this.#rows.at(profileId)
    const view = this.#view(profileId)
    if (this.#u32(profileId, NAME_LOW) !== 0) this.#byUsername.remove(profileId)
    const [high, low] = username === null ? [0, 0] : nameHash(username)
    assert(username === null || this.idByUsername(username) === 0, 'a username names one profile')
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
   * The number of a rank; 0 is none. Ranks are few, so each is kept once, in the order of first
   * use.
   */
  #rankOf(rank: Rank | null): number {
    if (rank === null) return 0
    const { id, name, feeRateBps } = rank
    const isIt = (each: Rank) =>
      each.id === id && each.name === name && each.feeRateBps === feeRateBps
    const known = this.#ranks.findIndex(isIt)
    if (known >= 0) return known + 1
    assert(this.#ranks.length < LIMITS.ranksMax, 'ranks are few')
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

  /** All the state, for the state hash. */
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

/** The addresses of captured profiles, twenty bytes each, from that of profile 1 on. */
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
