import type { Connection, Statement } from '../database.ts'

const ASK = 'SELECT 1 FROM traders WHERE owner = ?'

/** Which profiles ever took or made a trade. */
export class Traders {
  readonly #ask: Statement<[number], unknown>

  constructor(connection: Connection) {
    this.#ask = connection.prepare(ASK)
  }

  has(accountId: number): boolean {
    return this.#ask.get(accountId) !== undefined
  }
}
