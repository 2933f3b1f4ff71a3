// The texts of profiles, from the journal. The core does not store texts.

import { assert } from '../../../../engine/domain/assert.ts'
import type {
  Command,
  ControlCommand,
  ProfileChange,
  ProfileFields,
} from '../../../../engine/domain/command.ts'
import type { CommandOf } from '../../../../engine/domain/command-kinds.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import type { PaidMarket } from './paid-market.ts'
import { fieldsOfRow, PROFILE_BY_ID, type ProfileRow } from './profile-row.ts'
import { ReferralsTable } from './referrals.ts'

const PUT = `
INSERT INTO profiles (
  profile_id, account, username, display_name, client, smart_wallet, rank_id, rank_name,
  rank_fee_bps, fee_cap_bps, scopes, bio, pfp_url, social_url, mode, trade_wallet_option,
  x_handle, x_avatar, is_machine, created_ms
) VALUES (
  @profileId, @account, @username, @displayName, @client, @smartWallet, @rankId, @rankName,
  @rankFeeBps, @feeCapBps, @scopes, @bio, @pfpUrl, @socialUrl, @mode, @tradeWalletOption,
  @xHandle, @xAvatar, @isMachine, @createdMs
) ON CONFLICT DO UPDATE SET
  username = excluded.username, display_name = excluded.display_name, client = excluded.client,
  smart_wallet = excluded.smart_wallet, rank_id = excluded.rank_id,
  rank_name = excluded.rank_name, rank_fee_bps = excluded.rank_fee_bps,
  fee_cap_bps = excluded.fee_cap_bps, scopes = excluded.scopes, bio = excluded.bio,
  pfp_url = excluded.pfp_url, social_url = excluded.social_url, mode = excluded.mode,
  trade_wallet_option = excluded.trade_wallet_option, x_handle = excluded.x_handle,
  x_avatar = excluded.x_avatar, is_machine = excluded.is_machine`

type Written = Omit<ProfileRow, 'hasTraded'>
export type ProfileCommand = Extract<
  ControlCommand,
  { kind: 'createProfile' | 'editProfile' | 'createSubAccount' }
>

export function isOfProfile(command: Command): command is ProfileCommand {
  const { kind } = command
  return kind === 'createProfile' || kind === 'editProfile' || kind === 'createSubAccount'
}

export class ProfilesTable {
  readonly #put: Statement<[Written]>
  readonly #byId: Statement<[number], ProfileRow>
  readonly #referrals: ReferralsTable
  /** Commands since the last flush, in journal order. */
  #waiting: ProfileCommand[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
    this.#byId = connection.prepare(PROFILE_BY_ID)
    this.#referrals = new ReferralsTable(connection)
  }

  applied(command: ProfileCommand): void {
    this.#waiting.push(command)
    if (command.kind === 'createProfile') this.#referrals.created(command)
  }

  /** Fees of mined trades count for their takers' referrers. */
  settled(command: CommandOf<'settlement'>): void {
    this.#referrals.settled(command)
  }

  paidOut(market: PaidMarket): void {
    this.#referrals.paidOut(market)
  }

  /** Runs inside the chunk's transaction, after its trades and settlements. */
  flush(pace: Pace): void {
    this.#referrals.flush(pace)
    eachPaced(this.#waiting, pace, (command) => {
      if (command.kind === 'editProfile') this.#edit(command.profileId, command.profile)
      else this.#put.run(rowOf(command.profileId, madeFields(command), command.nowMs))
    })
    this.#waiting = []
  }

  #edit(profileId: ProfileId, change: ProfileChange): void {
    const before = this.#byId.get(profileId)
    assert(before !== undefined, 'an edited profile is in the tables')
    const fields = fieldsOfRow(before)
    const smartWallet = change.smartWallet ?? fields.smartWallet
    const after = { ...fields, ...change, account: before.account, smartWallet }
    this.#put.run(rowOf(profileId, after, before.createdMs))
  }
}

/** A server wallet belongs to a program of its partner. */
export function madeFields(
  command: Exclude<ProfileCommand, { readonly kind: 'editProfile' }>,
): ProfileFields {
  const isKept = command.kind === 'createSubAccount' && command.sealedKey !== null
  return isKept ? { ...command.profile, isMachine: true } : command.profile
}

function rowOf(profileId: ProfileId, fields: ProfileFields, createdMs: TimeMs): Written {
  const { rank } = fields
  return {
    profileId,
    account: fields.account,
    username: fields.username,
    displayName: fields.displayName,
    client: fields.client,
    smartWallet: fields.smartWallet,
    rankId: rank?.id ?? null,
    rankName: rank?.name ?? null,
    rankFeeBps: rank?.feeRateBps ?? null,
    feeCapBps: fields.feeCapBps,
    scopes: JSON.stringify(fields.scopes),
    bio: fields.bio ?? null,
    pfpUrl: fields.pfpUrl ?? null,
    socialUrl: fields.socialUrl ?? null,
    mode: fields.mode ?? null,
    tradeWalletOption: fields.tradeWalletOption ?? null,
    xHandle: fields.xHandle ?? null,
    xAvatar: fields.xAvatar ?? null,
    isMachine: fields.isMachine === true ? 1 : 0,
    createdMs,
  }
}
