/**
 * The tokens that one intake thread knows, by the references that it was given: a result names its
 * token by four bytes. A reference is never used again, and is forgotten when the thread has told
 * that no result will name it any more.
 */
export class TokenRefs {
  /** Reference 0 stands for no token. */
  readonly #tokenIds = new Map([[0, '']])
  #newest = 0

  give(tokenId: string): number {
    this.#newest++
    this.#tokenIds.set(this.#newest, tokenId)
    return this.#newest
  }

  idOf(ref: number): string | undefined {
    return this.#tokenIds.get(ref)
  }

  forget(ref: number): void {
    if (ref !== 0) this.#tokenIds.delete(ref)
  }

  /** How many tokens can be named. */
  get count(): number {
    return this.#tokenIds.size - 1
  }
}
