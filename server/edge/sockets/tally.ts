/** Counts what comes in one time span. */
export class Tally {
  #span = 0
  #count = 0

  takes(span: number, most: number): boolean {
    if (this.#span !== span) {
      this.#span = span
      this.#count = 0
    }
    this.#count++
    return this.#count <= most
  }
}
