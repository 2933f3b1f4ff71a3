import { Exchange } from '../../engine/core/exchange.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'

/** The journal, replayed on one thread, must leave no reserve; returns what is left, or ''. */
export function reservesLeft(dataDir: string): string {
  const replayed = new Exchange()
  recoverJournal(dataDir, { visit: (command) => replayed.apply(command) })
  const { ledger } = replayed.clearing
  const left = [...ledger.collateralReservedRaw, ...ledger.sharesReservedRaw]
  if (left.some((raw) => raw !== 0)) return `reserves are left: ${left.filter((raw) => raw !== 0)}`
  return replayed.checkInvariants() ?? ''
}
