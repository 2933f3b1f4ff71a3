import { readSeal } from '../../../persistence/folder-key.ts'
import { type LogAddress, LogUnreachable } from '../../../persistence/log/log-address.ts'
import { DataFolderError, UnreadFolder } from '../../../persistence/snapshot/recovery.ts'
import { type FolderReport, verifyFolder } from '../../../persistence/verify-folder.ts'
import type { CommandSpec, Line } from '../../command-line.ts'
import { SETTINGS } from '../../config.ts'
import { LOG_ROW, logOf } from '../../settings/cluster-settings.ts'
import { flagOf, readSetting } from '../../settings/flags.ts'
import { onOff } from '../../settings/kinds.ts'
import { EXIT, type Shell } from '../../shell.ts'
import { unitsOf } from '../decimals.ts'
import { progressLines } from '../progress.ts'

/** The flags of every offline command. */
export const OFFLINE_ROWS = [SETTINGS.data, SETTINGS.keyFile]
export const STOPPED = 'Stop the server first.'
const TOKENS = flagOf('tokens', onOff, false, 'Print assets and obligations of each token.')

/** The data folder of an offline command, and the file of its key when it is elsewhere. */
export function folderOf({ given }: Line): { dataDir: string; keyFile: string | undefined } {
  return {
    dataDir: readSetting(SETTINGS.data, given),
    keyFile: readSetting(SETTINGS.keyFile, given),
  }
}

function readTablesLine({ readTables: { seq, rebuildReason, damage } }: FolderReport): string {
  if (rebuildReason !== null)
    return `read tables none: read.db ${rebuildReason}; the next start rebuilds them`
  if (damage === null) return `read tables seq ${seq}`
  return `read tables seq ${seq}, but read.db is damaged (${damage}); run outcomex rebuild`
}

function solvencyLines({ solvency: { assetsRaw, obligations, differenceRaw } }: FolderReport) {
  const { freeRaw, reservedRaw, sharesRaw, groupsRaw, systemRaw } = obligations
  return [
    `assets ${unitsOf(assetsRaw)}, deposits less withdrawals`,
    `owed to profiles ${unitsOf(freeRaw)} free, ${unitsOf(reservedRaw)} in orders`,
    `owed for shares ${unitsOf(sharesRaw)}, less ${unitsOf(-groupsRaw)} that conversions pay back`,
    `kept by the exchange ${unitsOf(systemRaw)}`,
    `difference ${unitsOf(differenceRaw)}`,
  ]
}

/** With --tokens each token; without, that all have been added up. */
function tokenLines({ tokens }: FolderReport, isEach: boolean): string[] {
  const apart = tokens.filter(({ differenceRaw }) => differenceRaw !== 0n)
  const shown = isEach ? tokens : apart
  return [
    ...shown.map(({ token, assetsRaw, obligationsRaw, debtsRaw, differenceRaw }) => {
      const owed = debtsRaw === 0n ? '' : `, ${unitsOf(debtsRaw)} owed to the exchange`
      const sums = `assets ${unitsOf(assetsRaw)}, obligations ${unitsOf(obligationsRaw)}${owed}`
      return `token ${token}: ${sums}, difference ${unitsOf(differenceRaw)}`
    }),
    `tokens ${tokens.length}, ${apart.length} with a difference`,
  ]
}

function reportLines(report: FolderReport, isEachToken: boolean): string[] {
  const lines = [
    `seq ${report.seq}`,
    `state ${report.stateHash}`,
    `profiles ${report.profiles}`,
    `markets ${report.markets}`,
    `open orders ${report.openOrders}`,
    ...solvencyLines(report),
    ...tokenLines(report, isEachToken),
    readTablesLine(report),
  ]
  for (const { seq, unusable } of report.snapshots) {
    const passed = unusable === null ? '' : ` ${unusable}; a start passes it over`
    lines.push(`snapshot seq ${seq}${passed}`)
  }
  for (const why of report.unusableNames) {
    lines.push(`snapshots/${why}; a start reads its orders from the read tables`)
  }
  if (report.missing.length > 0) {
    lines.push(`segments moved away: ${report.missing.join(', ')}`)
  }
  for (const name of report.leftOver) lines.push(`left over ${name}; nothing reads it`)
  if (report.lostRecords > 0) {
    lines.push(
      `lost records ${report.lostRecords} (--durability normal); the next start says so too`,
    )
  }
  return lines
}

/** The verdict in words. A folder is not sound when its operator has to do something. */
function verdict({ seq, readTables, snapshots, uncheckedSeq }: FolderReport): {
  text: string
  isSound: boolean
} {
  if (readTables.damage !== null) {
    const text = 'The journal is sound, the read tables are not: run outcomex rebuild.'
    return { text, isSound: false }
  }
  const passedOver = snapshots.filter(({ unusable }) => unusable !== null).length
  const costs = [
    ...(readTables.rebuildReason === null ? [] : ['rebuild the read tables']),
    ...(passedOver === 0 ? [] : [`pass over ${passedOver} of ${snapshots.length} snapshots`]),
  ]
  const next = costs.length === 0 ? '' : ` The next start will ${costs.join(' and ')}.`
  const checked = uncheckedSeq === 0 ? `all ${seq}` : `the ${seq - uncheckedSeq} newest of ${seq}`
  const sound = `The folder is sound: ${checked} commands, their chain and the invariants hold.`
  const text = `${sound}${next}`
  return { text, isSound: true }
}

/** True if the folder holds what the log holds. */
async function sayComparison(
  { dataDir, keyFile }: ReturnType<typeof folderOf>,
  address: LogAddress,
  shell: Shell,
): Promise<boolean> {
  const seal = readSeal(dataDir, keyFile)
  if (seal === null) return true
  // Its library is loaded only when it is needed.
  const { compareWithLog } = await import('../../../persistence/log/compare-folder.ts')
  const { baseSeq, logSeq, folderSeq, differsAt } = await compareWithLog(
    seal.keyed(dataDir),
    address,
  )
  shell.say(`log seq ${logSeq}, from seq ${baseSeq + 1}`)
  if (differsAt === null) {
    shell.say(`The folder holds what the log holds, up to seq ${Math.min(folderSeq, logSeq)}.`)
    return true
  }
  shell.warn(
    `The folder and the log differ at seq ${differsAt}: it is the folder of another exchange, or ` +
      'one of the two was changed; keep both.',
  )
  return false
}

export const verifyCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, TOKENS, LOG_ROW],
  notes: STOPPED,
  async work(line, shell) {
    const { dataDir, keyFile } = folderOf(line)
    const isEachToken = readSetting(TOKENS, line.given)
    const onProgress = progressLines('journal', shell)
    try {
      const report = verifyFolder(dataDir, { keyFile, onProgress })
      const { text, isSound } = verdict(report)
      shell.say([...reportLines(report, isEachToken), text].join('\n'))
      const address = logOf(readSetting(LOG_ROW, line.given))
      const isInLog =
        address === undefined || (await sayComparison({ dataDir, keyFile }, address, shell))
      return isSound && isInLog ? EXIT.OK : EXIT.FAILED
    } catch (error) {
      if (error instanceof LogUnreachable) {
        shell.warn(`The log cannot be read: ${error.message}`)
        return EXIT.UNCHECKED
      }
      if (!(error instanceof DataFolderError)) throw error
      shell.warn(error.message)
      if (error instanceof UnreadFolder) {
        shell.warn('The folder could not be checked.')
        return EXIT.UNCHECKED
      }
      shell.warn('The folder is not sound: follow the advice above, then verify again.')
      return EXIT.FAILED
    }
  },
}
