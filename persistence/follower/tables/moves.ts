import { redemptionRaw } from '../../../engine/core/moves/conditions.ts'
import type { MoveCommand } from '../../../engine/core/moves/move-commands.ts'
import { factsOfMove, type MoveFact } from '../../../engine/core/moves/move-facts.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import { MOVE_KINDS } from '../../../engine/domain/moves/move-kind.ts'
import type { Connection, Statement } from '../../database.ts'
import { eachPaced, type Pace } from './pace.ts'
import type { PositionsTable } from './positions.ts'

// Money that moved outside trading: one row for each profile that a command moved money of. What a
// profile got is positive, and what it gave is negative. `detail` is JSON: the shares of each child
// for a conversion, and the destination of a withdrawal.

const PUT = `
INSERT OR REPLACE INTO moves
  (seq, leg, owner, kind, market_id, yes_raw, no_raw, collateral_raw, moved_ms, detail)
VALUES (@seq, @leg, @owner, @kind, @marketId, @yesRaw, @noRaw, @collateralRaw, @movedMs, @detail)`

interface MoveRow {
  readonly seq: Seq
  readonly leg: number
  readonly owner: number
  readonly kind: number
  readonly marketId: MarketId
  readonly yesRaw: number
  readonly noRaw: number
  readonly collateralRaw: number
  readonly movedMs: number
  readonly detail: string | null
}

/** What the tables ask the state. */
export interface MoveWorld {
  childrenOf(groupId: MarketId): readonly MarketId[]
  payoutOf(marketId: MarketId): readonly [number, number] | null
}

export class MovesTable {
  readonly #put: Statement<[MoveRow]>
  readonly #positions: PositionsTable
  readonly #world: MoveWorld
  #rows: MoveRow[] = []

  constructor(connection: Connection, positions: PositionsTable, world: MoveWorld) {
    this.#put = connection.prepare(PUT)
    this.#positions = positions
    this.#world = world
  }

  applied(command: MoveCommand): void {
    const { seq, nowMs: movedMs } = command
    const facts = factsOfMove(command, (groupId) => this.#world.childrenOf(groupId))
    for (const [leg, fact] of facts.entries()) {
      const { owner, marketId, yesRaw, noRaw, collateralRaw } = fact
      const kind = MOVE_KINDS.indexOf(fact.kind)
      const amounts = { yesRaw, noRaw, collateralRaw }
      this.#rows.push({
        seq,
        leg,
        owner,
        kind,
        marketId,
        ...amounts,
        movedMs,
        detail: textOf(fact),
      })
      this.#changePositions(fact)
    }
  }

  #changePositions(fact: MoveFact): void {
    const { kind, owner, marketId } = fact
    switch (kind) {
      case 'SPLIT':
        this.#positions.split(owner, marketId, fact.yesRaw)
        return
      case 'MERGE':
        this.#positions.merged(owner, marketId, -fact.yesRaw)
        return
      case 'REDEEM': {
        const payout = this.#world.payoutOf(marketId)
        assert(payout !== null, 'only a resolved market is redeemed')
        const ofYesRaw = redemptionRaw(payout, -fact.yesRaw, 0)
        this.#positions.redeemed(owner, marketId, [ofYesRaw, fact.collateralRaw - ofYesRaw])
        return
      }
      case 'CONVERT':
        this.#positions.converted(fact)
        return
      case 'WITHDRAW':
        return
    }
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(row))
    this.#rows = []
  }
}

function textOf({ converted, destination }: MoveFact): string | null {
  const detail = converted ?? destination
  return detail === undefined ? null : JSON.stringify(detail)
}
