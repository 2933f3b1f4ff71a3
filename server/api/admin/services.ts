import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { NodeCopies } from '../../../persistence/backup/node-copies.ts'
import type { LogSync } from '../../../persistence/log/thread/log-thread.ts'
import {
  defaulted,
  firstShown,
  integer,
  line,
  means,
  nullable,
  pattern,
} from '../../edge/http/schema/scalars.ts'
import { optional } from '../../edge/http/schema/schema.ts'
import { RANK_PATTERN } from '../accounts/profile-fields.ts'
import type { AccountServices } from '../accounts/services.ts'
import type { MarketServices } from '../markets/services.ts'
import type { PackServices } from '../packs/services.ts'
import type { PageServices } from '../pages/services.ts'
import type { PortfolioServices } from '../portfolio/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { SportServices } from '../sports/services.ts'
import type { SystemServices } from '../system/services.ts'

// Fields and texts shared by several operator calls.

export const RESERVED = 'Raw collateral that open orders reserve.'

export function freeRaw() {
  return means(integer(), 'Raw collateral that no order reserves; one unit is 1,000,000.')
}

export function givenUsername() {
  return means(
    optional(nullable(line(LIMITS.usernameCharactersMax, 1))),
    'Unique name; null removes it, absent leaves it unchanged.',
  )
}

/** A rank by its name or number, or none. */
export function rankRequest() {
  return means(
    optional(nullable(firstShown(pattern(RANK_PATTERN, 'Name of a rank.'), integer(1, 5)))),
    'Rank by its name or number, 1 Bronze to 5 Diamond; null removes it, absent leaves it.',
  )
}

/** The query of a list that is paged by ascending ids. */
export function paging() {
  return {
    after: means(defaulted(integer(0), 0), 'Lists ids above this one; 0 for the first page.'),
    limit: means(defaulted(integer(1, LIMITS.adminListLimitMax), 50), 'Maximum entries per page.'),
  }
}

export function next() {
  return means(nullable(integer(1)), 'Value of after for the next page; null on the last page.')
}

/** A node of a cluster, as the log and the node itself know it. */
export interface ClusterView {
  readonly node: string
  readonly role: 'leader' | 'standby'
  readonly epoch: number
  readonly leader: string | null
  readonly leaderUrl: string | null
  readonly seq: Seq
  readonly confirmedSeq: Seq
  readonly rules: number
  readonly sync: LogSync
  readonly synchronous: boolean
  readonly nodes: readonly {
    readonly node: string
    readonly url: string
    readonly seq: Seq
    readonly version: string
    readonly rules: number
    readonly seenMs: number
  }[]
}

export interface ClusterService {
  readonly copies: Pick<NodeCopies, 'find' | 'read'>
  view(): ClusterView
  /** Ends the lease of this node. False if no other node would lead. */
  handOver(): boolean
  /** False if the log cannot be reached. */
  removeNode(name: string): Promise<boolean>
}

/** What the routes of this folder need. */
export interface AdminServices
  extends SharedServices,
    Pick<AccountServices, 'accounts' | 'operators'>,
    Pick<MarketServices, 'markets' | 'series'>,
    Pick<PackServices, 'curation' | 'offerCalls' | 'offerNetworks' | 'openOffers' | 'packs'>,
    Pick<PageServices, 'marketPages'>,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'>,
    Pick<SportServices, 'matches'>,
    Pick<SystemServices, 'modes'> {
  /** Null for an exchange of one node. */
  readonly cluster: ClusterService | null
}
