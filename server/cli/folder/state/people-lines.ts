import type { CapturedAccounts, Profile } from '../../../../engine/core/accounts/accounts.ts'
import type { Clearing } from '../../../../engine/core/clearing.ts'
import type { Rank } from '../../../../engine/domain/command.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { instant, type Line, line, recordLine, short } from './state-line.ts'
import { nameOf, slugOf } from './thing-name.ts'

// Profiles and what is theirs, partners, operators, and calls that are made once. Digests are shown
// in part; sealed keys and secrets not at all.

function rankOf({ id, name, feeRateBps }: Rank): string {
  return `${JSON.stringify(id)} ${JSON.stringify(name)} at ${feeRateBps} bps`
}

function termsOf({ account, smartWallet, rank, feeCapBps, scopes }: Profile): string {
  return [
    account,
    ...(smartWallet === null ? [] : [`smart wallet ${smartWallet}`]),
    ...(rank === null ? [] : [`rank ${rankOf(rank)}`]),
    ...(feeCapBps === null ? [] : [`fee cap ${feeCapBps} bps`]),
    ...(scopes.length === 0 ? [] : [`scopes ${scopes.join(' ')}`]),
  ].join(', ')
}

export function* profileLines({ accounts }: Clearing): Iterable<Line> {
  const { textDigest, ranks } = accounts.captureProfiles()
  yield line('texts of profiles', `digest ${short(textDigest)}`)
  for (const [index, rank] of ranks.entries()) yield recordLine(`rank ${index + 1}`, rank)
  for (let profileId = 1; profileId <= accounts.count; profileId++) {
    const profile = accounts.byId(profileId)
    if (profile !== undefined) yield line(`${nameOf(profileId)}, account`, termsOf(profile))
  }
}

export function* accountLines({ accounts }: Clearing): Iterable<Line> {
  yield line('admin token', `digest ${short(accounts.adminTokenDigest)}`)
  const { tokens, burnedNonces, partners, withdrawalAddresses } = accounts.capture()
  for (const { tokenId, sealedSecret: _sealed, ...token } of tokens) {
    yield recordLine(`token ${tokenId}`, token)
  }
  for (const { digest, profileId, expiresMs } of accounts.sessions()) {
    const until = `until ${instant(expiresMs)}`
    yield line(`session ${short(digest)}`, `${nameOf(profileId)}, ${until}`)
  }
  for (const [nonce, expiresMs] of burnedNonces) {
    yield line(`used nonce ${nonce}`, `until ${instant(expiresMs)}`)
  }
  yield* partnerLines(partners)
  for (const { profileId, address, ...listed } of withdrawalAddresses) {
    yield recordLine(`withdrawal address ${address} of ${nameOf(profileId)}`, listed)
  }
}

function* partnerLines({
  subAccounts,
  submittedSeqs,
}: CapturedAccounts['partners']): Iterable<Line> {
  for (const { profileId, sealedKey, ...made } of subAccounts) {
    const wallet = sealedKey === null ? 'own' : 'of the server'
    yield recordLine(`sub-account ${nameOf(profileId)}`, { ...made, wallet })
  }
  for (const [profileId, seq] of submittedSeqs) {
    yield line(`approvals of ${nameOf(profileId)} wait for a block`, `seq ${seq}`)
  }
}

export function* callLines({ calls }: Clearing): Iterable<Line> {
  for (const { by, digest, bodyDigest, untilMs, profileId, seq } of calls.capture()) {
    const output = `${nameOf(profileId)}, seq ${seq}, body ${short(bodyDigest)}`
    yield line(`${by} call ${short(digest)}`, `${output}, until ${instant(untilMs)}`)
  }
}

export function* heartbeatLines({ heartbeats }: Clearing): Iterable<Line> {
  for (const { profileId, ...armed } of heartbeats.capture()) {
    yield recordLine(`heartbeat of ${nameOf(profileId)}`, armed)
  }
}

export function* frozenLines({ frozen }: Clearing): Iterable<Line> {
  for (const { profileId, ...freeze } of frozen.capture()) {
    yield recordLine(`${nameOf(profileId)} is frozen`, freeze)
  }
}

export function* operatorLines({ operators }: Clearing): Iterable<Line> {
  for (const { name, tokenDigest, ...operator } of operators.capture()) {
    yield recordLine(`operator ${name}`, { ...operator, digest: short(tokenDigest) })
  }
}

/** The lists of a column: id, count, and as many entries of `width` numbers. */
function* listsOf(column: Uint32Array | Float64Array, width: number) {
  for (let at = 0; at < column.length; ) {
    const [id, count] = [column[at], column[at + 1]]
    const end = at + 2 + count * width
    for (let from = at + 2; from < end; from += width) {
      const owner: ProfileId = id
      yield { owner, fields: column.subarray(from, from + width) }
    }
    at = end
  }
}

export function* socialLines(clearing: Clearing): Iterable<Line> {
  const { follows, bookmarks } = clearing.social.capture()
  for (const { owner, fields } of listsOf(follows, 1)) {
    yield line(`${nameOf(owner)} follows ${nameOf(fields[0])}`)
  }
  for (const { owner, fields } of listsOf(bookmarks.lists, 4)) {
    const [marketId, kind, seq, putMs] = fields
    const output = `kind ${kind}, seq ${seq}, put ${instant(putMs)}`
    yield line(`${nameOf(owner)} remembers ${slugOf(clearing, marketId)}`, output)
  }
  for (const profileId of bookmarks.shown) yield line(`${nameOf(profileId)} shows its bookmarks`)
}
