import { UNIT_RAW } from '../../engine/domain/units.ts'
import { DataFolderError, UnreadFolder } from '../../persistence/snapshot/recovery.ts'
import { type FolderReport, verifyFolder } from '../../persistence/verify-folder.ts'
import { SETTINGS } from '../config.ts'
import { helpText, readSetting, scanEnvironment, scanLine, WrongUse } from '../settings/flags.ts'
import { command, EXIT, type Shell } from '../shell.ts'
import { progressLines } from './progress.ts'

const UNIT = BigInt(UNIT_RAW)
const ROWS = [SETTINGS.data, SETTINGS.keyFile]

/** The data folder of an offline command, and the file of its key when it is elsewhere. */
export function folderOf(
  name: string,
  args: readonly string[],
  shell: Shell,
): { dataDir: string; keyFile: string | undefined } {
  const { given, words } = scanLine(args, ROWS)
  if (words.length > 0) {
    throw new WrongUse(`${name} takes no word '${words[0]}'; name the folder with --data`)
  }
  const all = [...scanEnvironment(shell.env, ROWS), ...given]
  return {
    dataDir: readSetting(SETTINGS.data, all),
    keyFile: readSetting(SETTINGS.keyFile, all),
  }
}

export function offlineHelp(name: string, about: string): string {
  return [`outcomex ${name}: ${about}`, 'Stop the server first.', '', helpText(ROWS)].join('\n')
}

function readTablesLine({ readTables: { seq, anew, damage } }: FolderReport): string {
  if (anew !== null) return `read tables none: read.db ${anew}; the next start makes them anew`
  if (damage === null) return `read tables seq ${seq}`
  return `read tables seq ${seq}, but read.db is damaged (${damage}); run outcomex rebuild`
}

/** Raw collateral as units with all six decimals. */
function unitsOf(raw: bigint): string {
  const size = raw < 0n ? -raw : raw
  const decimals = (size % UNIT).toString().padStart(6, '0')
  return `${raw < 0n ? '-' : ''}${size / UNIT}.${decimals}`
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

function reportLines(report: FolderReport): string[] {
  const lines = [
    `seq ${report.seq}`,
    `state ${report.stateHash}`,
    `profiles ${report.profiles}`,
    `markets ${report.markets}`,
    `open orders ${report.openOrders}`,
    ...solvencyLines(report),
    readTablesLine(report),
  ]
  for (const { seq, unusable } of report.snapshots) {
    const passed = unusable === null ? '' : ` ${unusable}; a start passes it over`
    lines.push(`snapshot seq ${seq}${passed}`)
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
function verdict({ seq, readTables, snapshots }: FolderReport): { text: string; isSound: boolean } {
  if (readTables.damage !== null) {
    const text = 'The journal is sound, the read tables are not: run outcomex rebuild.'
    return { text, isSound: false }
  }
  const passedOver = snapshots.filter(({ unusable }) => unusable !== null).length
  const costs = [
    ...(readTables.anew === null ? [] : ['make the read tables anew']),
    ...(passedOver === 0 ? [] : [`pass over ${passedOver} of ${snapshots.length} snapshots`]),
  ]
  const next = costs.length === 0 ? '' : ` The next start will ${costs.join(' and ')}.`
  const text = `The folder is sound: all ${seq} commands, their chain and the laws hold.${next}`
  return { text, isSound: true }
}

const ABOUT = 'Checks a data folder; prints its seq, its state hash and a verdict.'

export const verifyCommand = command({
  about: ABOUT,
  help: () => offlineHelp('verify', ABOUT),
  isKnown: (error) => error instanceof DataFolderError,
  async work(args, shell) {
    const { dataDir, keyFile } = folderOf('verify', args, shell)
    const onProgress = progressLines('journal', shell)
    try {
      const report = verifyFolder(dataDir, { keyFile, onProgress })
      const { text, isSound } = verdict(report)
      shell.say([...reportLines(report), text].join('\n'))
      return isSound ? EXIT.OK : EXIT.FAILED
    } catch (error) {
      if (!(error instanceof DataFolderError) || error instanceof UnreadFolder) throw error
      shell.warn(error.message)
      shell.warn('The folder is not sound: do what is said above, then verify again.')
      return EXIT.FAILED
    }
  },
})
