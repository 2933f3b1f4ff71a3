import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInMemory } from '../../../persistence/database.ts'
import { OldEpochs } from '../../../persistence/follower/pruning/old-epochs.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { EPOCH_BITS } from '../../../persistence/follower/tables/epochs.ts'
import { minedTrades } from '../../../persistence/query/read/history/mined-trades.ts'
import { freshSeed, Random } from '../../support/random.ts'

const random = new Random(freshSeed())
const MARKETS = 6

interface Mined {
  readonly epoch: number
  readonly market: number
  readonly number: number
}

/** Tables to which markets add mined trades, epoch by epoch; some rest for many epochs. */
class Tables {
  readonly db = openInMemory(READ_SCHEMA.migrations)
  readonly old = new OldEpochs(this.db)
  readonly rows: Mined[] = []
  readonly #numbers = new Map<number, number>()

  trade(epoch: number, market: number, count: number): void {
    const first = (this.#numbers.get(market) ?? 0) + 1
    const seq = epoch * 2 ** EPOCH_BITS + market
    this.db.prepare('INSERT INTO mined_epochs VALUES (?, ?, ?)').run(market, first, epoch)
    this.db.prepare('INSERT INTO trade_epochs VALUES (?, ?, ?)').run(market, epoch * 10, seq)
    const insert = this.db.prepare('INSERT INTO mined_trades VALUES (?, ?, ?, ?)')
    for (let number = first; number < first + count; number++) {
      insert.run(epoch, market, number, seq)
      this.rows.push({ epoch, market, number })
    }
    this.#numbers.set(market, first + count - 1)
  }

  forget(endEpoch: number): void {
    for (const _step of this.old.forget(endEpoch));
  }

  /** Every row of an epoch from `endEpoch` on, and the newest of each market. */
  check(endEpoch: number): void {
    const wanted = this.rows.filter(({ epoch, market, number }) => {
      return epoch >= endEpoch || this.#numbers.get(market) === number
    })
    const columns = 'epoch, market_id AS market, number'
    const left = this.db.prepare<[], Mined>(`SELECT ${columns} FROM mined_trades`).all()
    const texts = new Set(left.map((row) => JSON.stringify(row)))
    for (const row of wanted) assert.ok(texts.has(JSON.stringify(row)), JSON.stringify(row))
    // What was the newest of its market when its epoch was emptied stays until the next start.
    assert.ok(left.length <= wanted.length + this.rows.length / 20)
    for (const [market, number] of this.#numbers) {
      const params = { marketId: market, skip: 0, limit: 5 }
      assert.equal(minedTrades.open(this.db)(params).count, number)
      assert.deepEqual(minedTrades.open(this.db)({ ...params, skip: number - 1 }).trades, [])
    }
    const columnsOf = `market_id AS market, first_seq >> ${EPOCH_BITS} AS epoch`
    const epochs = this.db.prepare<[], Mined>(`SELECT ${columnsOf} FROM trade_epochs`).all()
    const newest = new Map(this.rows.map(({ market, epoch }) => [market, epoch]))
    for (const { market, epoch } of epochs) {
      assert.ok(epoch >= endEpoch || epoch === newest.get(market), `epoch ${epoch} of ${market}`)
    }
    for (const [market, epoch] of newest) {
      assert.ok(epochs.some((each) => each.market === market && each.epoch === epoch))
    }
  }

  /** Rows of a market in the list of epochs. */
  epochsOf(market: number): number {
    const sql = 'SELECT count(*) AS count FROM mined_epochs WHERE market_id = ?'
    return this.db.prepare<[number], { count: number }>(sql).get(market)?.count ?? 0
  }
}

test('old epochs go, and the numbers of mined trades go on', () => {
  const tables = new Tables()
  for (let epoch = 0; epoch < 60; epoch++) {
    for (let market = 1; market <= MARKETS; market++) {
      // The first market always trades, the last one hardly ever.
      if (epoch > 0 && random.chance((market - 1) / MARKETS)) continue
      tables.trade(epoch, market, random.pick([1, 3, 256, 257, 700]))
    }
    if (epoch < 10) continue
    tables.forget(epoch - 9)
    tables.check(epoch - 9)
    for (let market = 1; market <= MARKETS; market++) {
      assert.ok(tables.epochsOf(market) <= 12, `${tables.epochsOf(market)} epochs of ${market}`)
    }
  }
})
