import type { Command, ControlCommand, TokenFields } from '../../../../engine/domain/command.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

// One row for each command by an operator: the operator, the time, and the objects of the command.
// A row never contains a secret, a digest or a key, because it has only the fields listed in this
// file. A replay of the journal writes the same rows again.

const PUT =
  'INSERT OR REPLACE INTO audit (seq, at_ms, operator, kind, about) VALUES (?, ?, ?, ?, ?)'

type Row = [seq: Seq, atMs: number, operator: string, kind: string, about: string]
type About = Readonly<Record<string, unknown>>

/** What the audit reads of the state before the command. */
export interface AuditWorld {
  slugOf(marketId: MarketId): string
  ownerOf(tokenId: string): ProfileId | undefined
  accountOf(profileId: ProfileId): string | undefined
}

export class AuditTable {
  readonly #put: Statement<Row>
  #rows: Row[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
  }

  /** Called before the command is applied, while the objects it ends can still be identified. */
  applying(command: Command, world: AuditWorld): void {
    if (!('by' in command) || command.by === undefined) return
    const { seq, nowMs, by, kind } = command
    this.#rows.push([seq, nowMs, by, kind, JSON.stringify(auditFieldsOf(command, world))])
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(...row))
    this.#rows = []
  }
}

function auditFieldsOf(command: ControlCommand, world: AuditWorld): About {
  switch (command.kind) {
    case 'createProfile':
    case 'editProfile':
      return profileAbout(command, world)
    case 'createMarket':
      return { marketSlug: command.market.slug }
    case 'createGroup': {
      const [group, ...children] = command.markets.map(({ market }) => market.slug)
      return { marketSlug: group, children }
    }
    case 'lockMarket':
    case 'unlockMarket':
      return { marketSlug: world.slugOf(command.marketId) }
    case 'flagMarket':
      return { marketSlug: world.slugOf(command.marketId), isFlagged: command.isFlagged }
    case 'editMarket':
      return { marketSlug: world.slugOf(command.marketId), ...command.change }
    case 'createSeries':
      return { seriesId: command.seriesId, stableSlug: command.series.stableSlug }
    case 'editSeries':
      return { seriesId: command.seriesId, ...command.change }
    case 'endSeries':
      return { seriesId: command.seriesId }
    case 'decideBoundary':
      return { symbol: command.symbol, atMs: command.atMs, priceE8: command.priceE8 }
    case 'resolveMarkets': {
      const markets = command.resolutions.map(({ marketId, payoutNumerators }) => {
        return { marketSlug: world.slugOf(marketId), payoutNumerators }
      })
      return markets.length === 1 ? markets[0] : { markets }
    }
    case 'putTradingWindow': {
      const { windowId, mode, startsAtMs, endsAtMs } = command.window
      return { windowId, mode, startsAtMs, endsAtMs }
    }
    case 'endTradingWindow':
      return { windowId: command.windowId }
    case 'revokeToken':
      return { profileId: world.ownerOf(command.tokenId), tokenId: command.tokenId }
    case 'fundPool':
    case 'drainPool': {
      const { profileId, liquidityRaw } = command
      return { marketSlug: world.slugOf(command.marketId), profileId, liquidityRaw }
    }
    case 'adjustBalance':
      return { profileId: command.profileId, collateralRaw: command.collateralRaw }
    case 'freezeProfile':
    case 'unfreezeProfile':
      return { profileId: command.profileId, reason: command.reason }
    case 'addOperator':
      return { name: command.name, role: command.role }
    case 'removeOperator':
      return { name: command.name }
    default:
      return restAbout(command, world)
  }
}

/** Identifies pages, packs, funds, matches and more; for any other command, its profile. */
function restAbout(command: ControlCommand, world: AuditWorld): About {
  switch (command.kind) {
    case 'putMarketPage': {
      const { pageId, slug, parentId } = command.page
      return { pageId, slug, parentId }
    }
    case 'removeMarketPage':
      return { pageId: command.pageId }
    case 'putPropertyKey': {
      const { key, options, removedOptionIds } = command
      const counts = { optionsPut: options.length, optionsRemoved: removedOptionIds.length }
      return { keyId: key.keyId, slug: key.slug, ...counts }
    }
    case 'removePropertyKey':
      return { keyId: command.keyId }
    case 'fundRewards':
      return { collateralRaw: command.collateralRaw }
    case 'fundHouse': {
      const { collateralRaw, dayLossMaxRaw } = command
      return { collateralRaw, ...(dayLossMaxRaw === undefined ? {} : { dayLossMaxRaw }) }
    }
    case 'curatePack': {
      const marketSlugs = command.legs.map(({ marketId }) => world.slugOf(marketId))
      return { packNumber: command.seq, packName: command.name, marketSlugs }
    }
    case 'removeCuratedPack':
      return { packNumber: command.packId }
    case 'putMatch': {
      const { slug, fixtureId, markets } = command.match
      return { matchSlug: slug, fixtureId, marketSlugs: markets.map((each) => each.slug) }
    }
    case 'removeMatch':
      return { matchSlug: command.slug }
    default:
      return 'profileId' in command ? { profileId: command.profileId } : {}
  }
}

/** Lists what an edit changed. */
function profileAbout(
  command: Extract<ControlCommand, { kind: 'createProfile' | 'editProfile' }>,
  world: AuditWorld,
): About {
  const { kind, profileId, profile, token } = command
  const account = kind === 'createProfile' ? command.profile.account : world.accountOf(profileId)
  const { username, feeCapBps, scopes, isMachine } = profile
  const rank = profile.rank === null ? null : profile.rank?.name
  const named = { profileId, account, username, rank, feeCapBps, scopes, isMachine }
  return { ...named, ...(token === null ? {} : tokenAbout(token)) }
}

function tokenAbout({ tokenId, scopes }: TokenFields): About {
  return { tokenId, tokenScopes: scopes }
}
