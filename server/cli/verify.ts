import { DataFolderError, type FolderReport, verifyFolder } from '../../persistence/recovery.ts'
import { SETTINGS } from '../config.ts'
import { helpText, readSetting, scanEnvironment, scanLine, WrongUse } from './flags.ts'
import { progressLines } from './progress.ts'
import { command, EXIT, type Shell } from './shell.ts'

const ROWS = [SETTINGS.data]

/** The data folder of an offline command. */
export function dataDirOf(name: string, args: readonly string[], shell: Shell): string {
  const { given, words } = scanLine(args, ROWS)
  if (words.length > 0) {
    throw new WrongUse(`${name} takes no word '${words[0]}'; name the folder with --data`)
  }
  return readSetting(SETTINGS.data, [...scanEnvironment(shell.env, ROWS), ...given])
}

export function offlineHelp(name: string, about: string): string {
  return [`outcomex ${name}: ${about}`, 'Stop the server first.', '', helpText(ROWS)].join('\n')
}

function reportLines(report: FolderReport): string {
  const { readSeq, lostRecords } = report
  const lines = [
    `seq ${report.seq}`,
    `state ${report.stateHash}`,
    `profiles ${report.profiles}`,
    `markets ${report.markets}`,
    `open orders ${report.openOrders}`,
    readSeq === null ? 'read tables none; the next start makes them' : `read tables seq ${readSeq}`,
  ]
  for (const { seq, unusable } of report.snapshots) {
    const passed = unusable === null ? '' : ` ${unusable}; a start passes it over`
    lines.push(`snapshot seq ${seq}${passed}`)
  }
  if (lostRecords > 0) lines.push(`lost records ${lostRecords} (--durability normal)`)
  return lines.join('\n')
}

const ABOUT = 'Checks a data folder; prints its seq and state hash.'

export const verifyCommand = command({
  about: ABOUT,
  help: () => offlineHelp('verify', ABOUT),
  isKnown: (error) => error instanceof DataFolderError,
  async work(args, shell) {
    const dataDir = dataDirOf('verify', args, shell)
    shell.say(reportLines(verifyFolder(dataDir, progressLines('journal', shell))))
    return EXIT.OK
  },
})
