import type { Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { LAYERS_MAX } from '../../../follower/tables/orders/order-names.ts'

// Finds orders by a hashed name (follower/tables/names.ts) in each layer of names, newest first.
// The follower moves names between layers, so a read of several layers runs in one transaction.

const LAYERS = 'SELECT layer, end_seq AS endSeq FROM name_layers ORDER BY end_seq DESC LIMIT ?'
const OF_NAME = `
SELECT placed_seq AS placedSeq FROM order_names WHERE layer = ? AND name = ?
ORDER BY placed_seq DESC`

interface Layer {
  readonly layer: number
  readonly endSeq: Seq
}

export class NamedOrders {
  readonly #layers: Statement<[number], Layer>
  readonly #ofName: Statement<[layer: number, name: number], { placedSeq: Seq }>

  constructor(connection: Connection) {
    this.#layers = connection.prepare(LAYERS)
    this.#ofName = connection.prepare(OF_NAME)
  }

  /**
   * The result of `rowOf` for the newest order with the name; null if it has none. Another order
   * may have the same name, so `rowOf` compares.
   */
  newest<Row>(name: number, rowOf: (placedSeq: Seq) => Row | undefined): Row | null {
    for (const { layer } of this.#layers.all(LAYERS_MAX)) {
      for (const { placedSeq } of this.#ofName.all(layer, name)) {
        const row = rowOf(placedSeq)
        if (row !== undefined) return row
      }
    }
    return null
  }

  /** The rows of the newest `limit` orders with the name, newest first, from `fromSeq` on. */
  list<Row extends { readonly placedSeq: Seq }>(
    name: number,
    limit: number,
    rowOf: (placedSeq: Seq) => Row | undefined,
    fromSeq: Seq = 0,
  ): Row[] {
    const found = new Map<Seq, Row>()
    // Layers are by the end of an order. A later placed order may have ended earlier, but no layer
    // has an order placed after the layer's end.
    let leastSeq = fromSeq
    for (const { layer, endSeq } of this.#layers.all(LAYERS_MAX)) {
      if (endSeq <= leastSeq) break
      let ofLayer = 0
      for (const { placedSeq } of this.#ofName.iterate(layer, name)) {
        if (ofLayer === limit || placedSeq < leastSeq) break
        const row = found.has(placedSeq) ? undefined : rowOf(placedSeq)
        if (row === undefined) continue
        found.set(placedSeq, row)
        ofLayer++
      }
      const seqs = [...found.keys()].sort((a, b) => b - a)
      if (seqs.length >= limit) leastSeq = seqs[limit - 1]
    }
    return [...found.values()].sort((a, b) => b.placedSeq - a.placedSeq).slice(0, limit)
  }
}
