import { CLOCK_LIMITS } from '../../../engine/domain/clock-limits.ts'
import { type Copied, copyDataFolder } from '../../../persistence/backup/copy-folder.ts'
import { restoreFolder } from '../../../persistence/backup/restore.ts'
import { defaultKeyFile } from '../../../persistence/folder-key.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import { faultRequested } from '../../settings/fault.ts'
import { helpText, readSetting, type Setting, WrongUse } from '../../settings/flags.ts'
import { optional } from '../../settings/kinds.ts'
import { path } from '../../settings/text-kinds.ts'
import { command, EXIT, type Shell } from '../../shell.ts'
import { progressLines } from '../progress.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

// Copies of a data folder: `outcomex backup` takes one while the exchange trades, `outcomex
// restore` makes a data folder of it.

function folderFlag(flag: string, help: string): Setting<string | undefined> {
  const kind = optional(path('DIR', 'the path of a folder'))
  return { flag, kind, fallback: undefined, help }
}

const TO = folderFlag('to', 'The folder of the backup: empty, absent, or that of an earlier one.')
const FROM = folderFlag('from', 'The folder of the backup.')
export const BACKUP_ROWS = [TO]
export const RESTORE_ROWS = [FROM]

function helpOf(
  name: string,
  about: string,
  [own]: readonly Setting<string | undefined>[],
): string {
  const flags = helpText([...OFFLINE_ROWS, own])
  return [`outcomex ${name} --${own.flag} DIR: ${about}`, '', flags].join('\n')
}

/** The data folder, its key file and the folder of the backup. */
function placesOf(
  name: string,
  args: readonly string[],
  shell: Shell,
  own: Setting<string | undefined>,
) {
  const { given, ...folder } = folderOf(name, args, shell, [own])
  const backupDir = readSetting(own, given)
  if (backupDir === undefined) throw new WrongUse(`${name} needs --${own.flag} DIR`)
  const fault = faultRequested(shell.env)
  if (fault !== null) shell.warn(fault)
  return { ...folder, backupDir }
}

function linesOf({ seq, fromSeq, checksum, snapshots, lostRecords }: Copied): string[] {
  const lost = lostRecords === 0 ? [] : [`lost records ${lostRecords} (--durability normal)`]
  return [
    `seq ${seq}, of them ${seq - fromSeq} copied now, each checked`,
    `journal ${Buffer.from(checksum).toString('hex')}`,
    `snapshots ${snapshots.length === 0 ? 'none' : snapshots.join(', ')}`,
    ...lost,
  ]
}

const BACKUP = 'Copies a data folder, also while its exchange trades, or brings a copy up to date.'

export const backupCommand = command({
  about: BACKUP,
  flags: [...OFFLINE_ROWS, ...BACKUP_ROWS],
  help: () => helpOf('backup', BACKUP, BACKUP_ROWS),
  isKnown: (error) => error instanceof DataFolderError,
  async work(args, shell) {
    const { dataDir, keyFile, backupDir } = placesOf('backup', args, shell, TO)
    const onProgress = progressLines('backup', shell)
    const copied = copyDataFolder(dataDir, backupDir, { keyFile, onProgress })
    const kept = keyFile ?? defaultKeyFile(dataDir)
    shell.say(
      [
        ...linesOf(copied),
        `The backup is whole. The server key is not in it: keep a copy of ${kept} elsewhere.`,
      ].join('\n'),
    )
    return EXIT.OK
  },
})

const RESTORE = 'Makes a data folder of a backup.'

export const restoreCommand = command({
  about: RESTORE,
  flags: [...OFFLINE_ROWS, ...RESTORE_ROWS],
  help: () => helpOf('restore', RESTORE, RESTORE_ROWS),
  isKnown: (error) => error instanceof DataFolderError,
  async work(args, shell) {
    const { dataDir, keyFile, backupDir } = placesOf('restore', args, shell, FROM)
    const onProgress = progressLines('restore', shell)
    const copied = restoreFolder(backupDir, dataDir, { keyFile, onProgress })
    const key = keyFile === undefined ? '' : ` --key-file ${keyFile}`
    const { lastMs } = copied
    const isOld = lastMs !== null && shell.nowMs() - lastMs > CLOCK_LIMITS.leapMsMax
    const consent = isOld ? ' --accept-clock' : ''
    shell.say(
      [
        ...linesOf(copied),
        `The folder is whole. Start it with: outcomex serve --data ${dataDir}${key}${consent}`,
      ].join('\n'),
    )
    return EXIT.OK
  },
})
