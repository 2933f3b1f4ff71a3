import { CLOCK_LIMITS } from '../../../engine/domain/clock-limits.ts'
import { type Copied, copyDataFolder } from '../../../persistence/backup/copy-folder.ts'
import { restoreFolder } from '../../../persistence/backup/restore.ts'
import { defaultKeyFile } from '../../../persistence/folder-key.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import type { CommandSpec, Line } from '../../command-line.ts'
import { faultRequested } from '../../settings/fault.ts'
import { readSetting, requiredFlag, type Setting } from '../../settings/flags.ts'
import { path } from '../../settings/kinds.ts'
import { EXIT, type Shell } from '../../shell.ts'
import { progressLines } from '../progress.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

// Copies of a data folder: `outcomex backup` takes one while the exchange trades, `outcomex
// restore` makes a data folder of it.

const folder = path('DIR', 'the path of a folder')
const TO = requiredFlag(
  'to',
  folder,
  '',
  'The folder of the backup: empty, absent, or that of an earlier one.',
)
const FROM = requiredFlag('from', folder, '', 'The folder of the backup.')

/** The data folder, its key file and the folder of the backup. */
function placesOf(line: Line, shell: Shell, own: Setting<string>) {
  const backupDir = readSetting(own, line.given)
  const fault = faultRequested(shell.env)
  if (fault !== null) shell.warn(fault)
  return { ...folderOf(line), backupDir }
}

function linesOf({ seq, fromSeq, checksum, snapshots, lostRecords, missing }: Copied): string[] {
  const lost = lostRecords === 0 ? [] : [`lost records ${lostRecords} (--durability normal)`]
  return [
    `seq ${seq}, of them ${seq - fromSeq} copied now, each checked`,
    `journal ${Buffer.from(checksum).toString('hex')}`,
    `snapshots ${snapshots.length === 0 ? 'none' : snapshots.join(', ')}`,
    ...lost,
    ...(missing.length === 0 ? [] : [`segments moved away: ${missing.join(', ')}`]),
  ]
}

export const backupCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, TO],
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile, backupDir } = placesOf(line, shell, TO)
    const onProgress = progressLines('backup', shell)
    const copied = copyDataFolder(dataDir, backupDir, { keyFile, onProgress })
    const kept = keyFile ?? defaultKeyFile(dataDir)
    const isWhole =
      copied.missing.length === 0
        ? 'The backup is whole.'
        : 'The backup has all but these segments.'
    shell.say(
      [
        ...linesOf(copied),
        `${isWhole} The server key is not in it: keep a copy of ${kept} elsewhere.`,
      ].join('\n'),
    )
    return EXIT.OK
  },
}

export const restoreCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, FROM],
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile, backupDir } = placesOf(line, shell, FROM)
    const onProgress = progressLines('restore', shell)
    const copied = restoreFolder(backupDir, dataDir, { keyFile, onProgress })
    const key = keyFile === undefined ? '' : ` --key-file ${keyFile}`
    const { lastMs } = copied
    const isOld = lastMs !== null && shell.nowMs() - lastMs > CLOCK_LIMITS.leapMsMax
    const consent = isOld ? ' --accept-clock' : ''
    const start = `outcomex serve --data ${dataDir}${key}${consent}`
    const advice =
      copied.missing.length === 0
        ? `The folder is whole. Start it with: ${start}`
        : `Put these segments into ${dataDir}/archive, then start it with: ${start}`
    shell.say([...linesOf(copied), advice].join('\n'))
    return EXIT.OK
  },
}
