import type { Seq } from '../../../engine/domain/ids.ts'
import { query } from './query.ts'

// The actions of operators, newest first. Each query reads only the newest end of one index, so
// `limit` bounds its cost.

const COLUMNS = 'seq, at_ms AS atMs, operator, kind, about'
const NEWEST = 'ORDER BY seq DESC LIMIT ?'
const ALL = `SELECT ${COLUMNS} FROM audit WHERE seq < ? ${NEWEST}`
const BY_OPERATOR = `SELECT ${COLUMNS} FROM audit WHERE operator = ? AND seq < ? ${NEWEST}`

export interface AuditParams {
  /** Returns only rows with lower seqs. */
  readonly beforeSeq: Seq
  /** null = all operators. */
  readonly operator: string | null
  readonly limit: number
}

export interface AuditRow {
  readonly seq: Seq
  readonly atMs: number
  readonly operator: string
  /** The command's kind. */
  readonly kind: string
  /** JSON of the command's objects. */
  readonly about: string
}

/** Newest rows first. */
export const audit = query({
  name: 'audit',
  prepare: (db) => ({
    all: db.prepare<[number, number], AuditRow>(ALL),
    byOperator: db.prepare<[string, number, number], AuditRow>(BY_OPERATOR),
  }),
  run: ({ all, byOperator }, { beforeSeq, operator, limit }: AuditParams): AuditRow[] =>
    operator === null ? all.all(beforeSeq, limit) : byOperator.all(operator, beforeSeq, limit),
})
