import type { Exchange } from '../../../engine/core/exchange.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { SETTLEMENT_STATUSES } from '../../../engine/domain/moves/move-command.ts'
import { ORDER_STATUSES, ORDER_TYPES, SIDE } from '../../../engine/domain/order.ts'
import { AllRows, type OrderRow, type TradeRow } from '../../../persistence/query/all-rows.ts'
import { newestSeq, readStates } from '../../../persistence/snapshot/past-states.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import type { CommandSpec } from '../../command-line.ts'
import { readSetting, requiredFlag } from '../../settings/flags.ts'
import { oneOf } from '../../settings/kinds.ts'
import { EXIT, type Shell } from '../../shell.ts'
import { unitsOf } from '../decimals.ts'
import { progressLines } from '../progress.ts'
import { pour } from './pour.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

// Rows of a data folder as CSV (RFC 4180). No field is free text: a spreadsheet that opens the file
// finds numbers, slugs and words of ours, and no formula.

const WHAT = ['trades', 'orders', 'balances'] as const
type What = (typeof WHAT)[number]

const CSV = requiredFlag<What>(
  'csv',
  oneOf(...WHAT),
  'trades',
  'What is written: every trade, every order, or what each profile holds now.',
)
const NOTES = [
  'The server may run meanwhile. Times are UTC; amounts are whole units with six',
  'decimals. An order is named by the seq of its row among the orders; a trade lists',
  'its makers in the order in which they were met.',
].join('\n')
/** A line of CSV ends with it and with the end of any other line. */
const CR = '\r'
const OUTCOMES = ['YES', 'NO'] as const

const HEADS: Readonly<Record<What, string>> = {
  trades:
    'seq,time,market,taker,side,outcome,shares,collateral,fee,fee_in,settlement,' +
    'order,makers,maker_orders',
  orders:
    'seq,time,market,profile,side,outcome,type,price,size,spend,filled,remaining,status,ended',
  balances: 'profile,account,token,free,in_orders',
}

type Cell = string | number

const units = (raw: number) => unitsOf(BigInt(raw))
const timeOf = (ms: number) => new Date(ms).toISOString()
const sideOf = (side: number) => (side === SIDE.BUY ? 'BUY' : 'SELL')

function tradeCells(row: TradeRow, minedSeq: Seq): Cell[] {
  const { seq, side, setback } = row
  const mined = SETTLEMENT_STATUSES.indexOf(seq <= minedSeq ? 'MINED' : 'MATCHED')
  return [
    seq,
    timeOf(row.tradedMs),
    row.slug,
    row.takerId,
    sideOf(side),
    OUTCOMES[row.outcome],
    units(row.sharesRaw),
    units(row.collateralRaw),
    units(row.feeRaw),
    side === SIDE.BUY ? 'shares' : 'collateral',
    SETTLEMENT_STATUSES[setback ?? mined],
    row.orderSeq,
    row.makerIds.join(' '),
    row.makerSeqs.join(' '),
  ]
}

function orderCells(row: OrderRow): Cell[] {
  return [
    row.seq,
    timeOf(row.placedMs),
    row.slug,
    row.ownerId,
    sideOf(row.side),
    OUTCOMES[row.outcome],
    ORDER_TYPES[row.orderType],
    (row.priceTicks / 1000).toFixed(3),
    ...[row.sizeRaw, row.spendRaw, row.filledRaw, row.remainingRaw].map(units),
    ORDER_STATUSES[row.status],
    row.endedMs === null ? '' : timeOf(row.endedMs),
  ]
}

function* balanceCells({ clearing }: Exchange): Iterable<Cell[]> {
  const { accounts, ledger, catalogue } = clearing
  for (let profile = 1; profile <= accounts.count; profile++) {
    const [free, reserved] = [ledger.freeRaw(profile), ledger.reservedRaw(profile)]
    const account = accounts.accountOf(profile) ?? ''
    yield [profile, account, 'collateral', units(free), units(reserved)]
  }
  for (let row = 1; row < ledger.rows.end; row++) {
    const profile = ledger.rows.isLive(row) ? ledger.rows.accountOf(row) : 0
    const account = accounts.accountOf(profile)
    if (account === undefined) continue
    const { slug = '' } = catalogue.byId(ledger.rows.marketOf(row)) ?? {}
    for (const [outcome, name] of OUTCOMES.entries()) {
      const free = ledger.sharesFreeRaw[row * 2 + outcome]
      const reserved = ledger.sharesReservedRaw[row * 2 + outcome]
      if (free === 0 && reserved === 0) continue
      yield [profile, account, `${name} of ${slug}`, units(free), units(reserved)]
    }
  }
}

function* linesOf(rows: Iterable<Cell[]>): Iterable<string> {
  for (const cells of rows) yield cells.join(',') + CR
}

function* rowsOf(what: 'trades' | 'orders', all: AllRows, shell: Shell): Iterable<Cell[]> {
  const onProgress = progressLines(what, shell)
  const { minedSeq } = all
  if (what === 'trades') {
    for (const row of all.trades()) {
      yield tradeCells(row, minedSeq)
      onProgress(row.seq, all.seq)
    }
    return
  }
  for (const row of all.orders()) {
    yield orderCells(row)
    onProgress(row.seq, all.seq)
  }
}

async function writeRows(what: 'trades' | 'orders', dataDir: string, shell: Shell): Promise<void> {
  const all = new AllRows(dataDir)
  try {
    const behind = newestSeq(dataDir) - all.seq
    if (behind > 0) {
      shell.warn(
        `The tables show the commands up to ${all.seq}. The journal has ${behind} more: their ` +
          'rows are not written. A running exchange catches up, and so does a start.',
      )
    }
    if (all.lateCount > 0) {
      shell.warn(
        `The tables wait for ${all.lateCount} rows of large commands: some ends of orders and ` +
          'fills of makers are missing. A running exchange writes them, and so does a start.',
      )
    }
    if (all.prunedSeq > 0) {
      shell.warn(
        `The tables have the history after command ${all.prunedSeq} (--history-days). For all of ` +
          'it, run outcomex restore, outcomex rebuild and this command on a backup.',
      )
    }
    shell.say(HEADS[what] + CR)
    await pour(shell, linesOf(rowsOf(what, all, shell)))
  } finally {
    all.close()
  }
}

export const exportCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, CSV],
  notes: NOTES,
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile } = folderOf(line)
    const what = readSetting(CSV, line.given)
    if (what !== 'balances') {
      await writeRows(what, dataDir, shell)
      return EXIT.OK
    }
    const onProgress = progressLines('journal', shell)
    await readStates(dataDir, ['newest'], { keyFile, onProgress }, async (exchange) => {
      shell.say(HEADS[what] + CR)
      await pour(shell, linesOf(balanceCells(exchange)))
    })
    return EXIT.OK
  },
}
