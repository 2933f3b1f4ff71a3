import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import { mulDivFloor, UNIT_RAW } from '../../../engine/domain/units.ts'
import { openInMemory } from '../../../persistence/database.ts'
import {
  BiggestPositions,
  stateMark,
} from '../../../persistence/follower/boards/biggest-positions.ts'
import {
  BIGGEST_ROW,
  BIGGEST_ROWS_MAX,
  type ProjectionRows,
} from '../../../persistence/follower/boards/projection.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { ExchangeDriver } from '../../support/exchange-driver.ts'
import { freshSeed, Random } from '../../support/random.ts'

// Passes over all markets while some of them change, against a whole sort of all positions.

const MARKETS = 12
const OWNERS = 30
const ALL = { what: 'biggest', nowMs: 0, marketIds: null } as const

class World {
  readonly driver = new ExchangeDriver()
  readonly db = openInMemory(READ_SCHEMA.migrations)
  readonly changed = new Set<number>()
  readonly random: Random
  readonly #put = this.db.prepare<number[]>(
    'INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, 0)',
  )
  readonly #biggest = new BiggestPositions(this.db, {
    clearing: this.driver.clearing,
    look: () => {},
    takeChanged: () => {
      const taken = new Set(this.changed)
      this.changed.clear()
      return taken
    },
  })

  constructor(seed: number) {
    this.random = new Random(seed)
    this.driver.addAccount(10 ** 12)
    this.driver.addAccount(10 ** 12)
    for (let market = 1; market <= MARKETS; market++) {
      this.driver.addMarket({ minSizeRaw: 0 })
      for (let count = 0; count < OWNERS; count++) this.hold(market)
    }
  }

  /** Somebody holds more or less of the market, or nothing any more. */
  hold(marketId: number): void {
    const { random } = this
    const sizeRaw = random.chance(0.2) ? 0 : random.below(50) * 1000 * UNIT_RAW
    const costRaw = mulDivFloor(sizeRaw, random.below(UNIT_RAW), UNIT_RAW)
    this.#put.run(random.between(1, OWNERS), marketId, random.below(2), sizeRaw, costRaw)
    this.changed.add(marketId)
  }

  bid(marketId: number): void {
    const priceTicks = this.random.between(1, 999)
    const outcome = this.random.pick([OUTCOME.YES, OUTCOME.NO])
    const sizeRaw = this.random.between(1, 30) * UNIT_RAW
    const order = { marketId, outcome, side: SIDE.BUY, priceTicks, sizeRaw }
    this.driver.place({ ...order, account: 1 + outcome, type: 'GTC' })
  }

  resolve(marketId: number): void {
    const resolution = { marketId, payoutNumerators: [1, 0] as const, groupSettled: false }
    this.driver.control({ kind: 'resolveMarkets', resolutions: [resolution] })
  }

  pass(): ProjectionRows {
    const steps = this.#biggest.rows(ALL)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }

  /** The biggest positions with their worth: by worth, then by what they gained. */
  sorted(): number[][] {
    const { clearing } = this.driver
    const rows = this.db
      .prepare<
        [],
        { owner: number; marketId: number; outcome: number; sizeRaw: number; costRaw: number }
      >(
        'SELECT owner, market_id AS marketId, outcome, size_raw AS sizeRaw, cost_raw AS costRaw ' +
          'FROM positions WHERE size_raw > 0 ORDER BY market_id, owner, outcome',
      )
      .all()
    const valued = rows.flatMap((row) => {
      const market = clearing.catalogue.existing(row.marketId)
      if (market.payoutNumerators !== null) return []
      const { yesE6 } = stateMark(market, clearing)
      const markE6 = row.outcome === 0 ? yesE6 : UNIT_RAW - (yesE6 ?? 0)
      const worth = yesE6 === null ? row.costRaw : mulDivFloor(row.sizeRaw, markE6 ?? 0, UNIT_RAW)
      const shown = [row.marketId, row.owner, row.outcome, worth]
      return [{ shown, worth, gain: worth - row.costRaw }]
    })
    return (['worth', 'gain'] as const).flatMap((by) =>
      valued
        .toSorted((one, other) => other[by] - one[by])
        .slice(0, BIGGEST_ROWS_MAX)
        .map(({ shown }) => shown),
    )
  }
}

function shownIn(rows: ProjectionRows): number[][] {
  const { width, marketId, owner, outcome, worthRaw } = BIGGEST_ROW
  return Array.from({ length: rows.length / width }, (_, index) => {
    const row = rows.subarray(index * width)
    return [row[marketId], row[owner], row[outcome], row[worthRaw]]
  })
}

test('each pass gives the rows of a whole sort, whatever changed since the one before', () => {
  const first = freshSeed()
  for (let seed = first; seed < first + 10; seed++) {
    const world = new World(seed)
    const { random } = world
    for (let round = 0; round < 25; round++) {
      assert.deepEqual(shownIn(world.pass()), world.sorted(), `SEED=${seed}, round ${round}`)
      const some = Array.from({ length: random.below(3) }, () => random.between(1, MARKETS))
      for (const marketId of some) {
        for (let count = random.below(60); count > 0; count--) world.hold(marketId)
      }
      // A bid moves a mark without any change of a position.
      if (random.chance(0.5)) world.bid(random.between(1, MARKETS))
      if (round === 12) world.resolve(random.between(1, MARKETS))
    }
  }
})

test('a pass walks only markets that changed', () => {
  const world = new World(freshSeed())
  const before = world.pass()
  // Nobody says that these changed, so nobody looks.
  world.db.exec('UPDATE positions SET size_raw = size_raw * 2 WHERE size_raw > 0')
  assert.deepEqual(world.pass(), before)
  for (let marketId = 1; marketId <= MARKETS; marketId++) world.changed.add(marketId)
  assert.deepEqual(shownIn(world.pass()), world.sorted())
  assert.notDeepEqual(world.pass(), before)
})
