import type { Connection, Statement } from '../../database.ts'

// What operators did, newest first. Each question walks the newest end of one index, so `limit`
// bounds the work.

const COLUMNS = 'seq, at_ms AS atMs, operator, kind, about'
const NEWEST = 'ORDER BY seq DESC LIMIT ?'
const ALL = `SELECT ${COLUMNS} FROM audit WHERE seq < ? ${NEWEST}`
const BY_OPERATOR = `SELECT ${COLUMNS} FROM audit WHERE operator = ? AND seq < ? ${NEWEST}`

export interface AuditAsk {
  /** Rows of lower seqs alone. */
  readonly beforeSeq: number
  /** Null for all. */
  readonly operator: string | null
  readonly limit: number
}

export interface AuditRow {
  readonly seq: number
  readonly atMs: number
  readonly operator: string
  /** Of the command. */
  readonly kind: string
  /** JSON of what it named. */
  readonly about: string
}

export class Audit {
  readonly #all: Statement<[number, number], AuditRow>
  readonly #byOperator: Statement<[string, number, number], AuditRow>

  constructor(connection: Connection) {
    this.#all = connection.prepare(ALL)
    this.#byOperator = connection.prepare(BY_OPERATOR)
  }

  find({ beforeSeq, operator, limit }: AuditAsk): AuditRow[] {
    if (operator === null) return this.#all.all(beforeSeq, limit)
    return this.#byOperator.all(operator, beforeSeq, limit)
  }
}
