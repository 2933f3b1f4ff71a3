import { type ProfileFields, SCOPES } from '../../../../engine/domain/command.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'

// A row of `profiles`, for its table and its reads.

export const PROFILE_BY_ID = `
SELECT profile_id AS profileId, account, username, display_name AS displayName, client,
  smart_wallet AS smartWallet, rank_id AS rankId, rank_name AS rankName,
  rank_fee_bps AS rankFeeBps, fee_cap_bps AS feeCapBps, scopes, bio, pfp_url AS pfpUrl,
  social_url AS socialUrl, mode, trade_wallet_option AS tradeWalletOption, x_handle AS xHandle,
  x_avatar AS xAvatar, is_machine AS isMachine,
  created_ms AS createdMs, EXISTS (SELECT 1 FROM traders WHERE owner = profile_id) AS hasTraded
FROM profiles WHERE profile_id = ?`

export interface ProfileRow {
  readonly profileId: ProfileId
  readonly account: string
  readonly username: string | null
  /** null until the owner sets one. */
  readonly displayName: string | null
  readonly client: string
  readonly smartWallet: string | null
  readonly rankId: number | null
  readonly rankName: string | null
  readonly rankFeeBps: number | null
  readonly feeCapBps: number | null
  /** JSON text. */
  readonly scopes: string
  readonly bio: string | null
  readonly pfpUrl: string | null
  readonly socialUrl: string | null
  readonly mode: string | null
  readonly tradeWalletOption: string | null
  readonly xHandle: string | null
  readonly xAvatar: string | null
  /** 0 or 1. */
  readonly isMachine: number
  readonly createdMs: TimeMs
  /** 0 or 1. */
  readonly hasTraded: number
}

export function fieldsOfRow(row: ProfileRow): Required<ProfileFields> {
  const { rankId, rankName, rankFeeBps, mode, tradeWalletOption } = row
  const isRanked = rankId !== null && rankName !== null && rankFeeBps !== null
  return {
    account: row.account,
    username: row.username,
    displayName: row.displayName,
    client: row.client,
    smartWallet: row.smartWallet,
    rank: isRanked ? { id: rankId, name: rankName, feeRateBps: rankFeeBps } : null,
    feeCapBps: row.feeCapBps,
    scopes: scopesOf(row.scopes),
    bio: row.bio,
    pfpUrl: row.pfpUrl,
    socialUrl: row.socialUrl,
    mode: mode === 'simple' || mode === 'advanced' ? mode : null,
    tradeWalletOption:
      tradeWalletOption === 'eoa' || tradeWalletOption === 'smartWallet' ? tradeWalletOption : null,
    xHandle: row.xHandle,
    xAvatar: row.xAvatar,
    isMachine: row.isMachine === 1,
  }
}

function scopesOf(json: string): ProfileFields['scopes'] {
  const stated: unknown = JSON.parse(json)
  return Array.isArray(stated) ? SCOPES.filter((scope) => stated.includes(scope)) : []
}
