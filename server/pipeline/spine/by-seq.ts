import type { Seq } from '../../../engine/domain/ids.ts'

/**
 * What waits for its seq. Seqs that wait lie close together, so that a table of cells by their low
 * bits holds them; it grows until no two fall on one cell. Not a Map, as domain/slab.ts says.
 */
export class BySeq<T extends { readonly seq: Seq }> {
  #cells: (T | null)[] = new Array(1024).fill(null)
  #count = 0

  get count(): number {
    return this.#count
  }

  get(seq: Seq): T | undefined {
    const item = this.#cells[seq & (this.#cells.length - 1)]
    return item !== null && item.seq === seq ? item : undefined
  }

  /** No item of this seq is in it. */
  add(item: T): void {
    while (this.#cells[item.seq & (this.#cells.length - 1)] !== null) this.#grow()
    this.#cells[item.seq & (this.#cells.length - 1)] = item
    this.#count++
  }

  delete(seq: Seq): void {
    if (this.get(seq) === undefined) return
    this.#cells[seq & (this.#cells.length - 1)] = null
    this.#count--
  }

  #grow(): void {
    const before = this.#cells
    this.#cells = new Array(before.length * 2).fill(null)
    const mask = this.#cells.length - 1
    for (const item of before) if (item !== null) this.#cells[item.seq & mask] = item
  }
}
