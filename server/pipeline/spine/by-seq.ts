import type { Seq } from '../../../engine/domain/ids.ts'

/**
 * Items that wait, by their seq. Waiting seqs lie close together, so a table of cells by their low
 * bits holds them. It grows until no two items need the same cell. domain/slab.ts says why it is
 * not a Map.
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

  /** The table must not hold an item of this seq yet. */
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
