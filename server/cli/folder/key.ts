import { resolve } from 'node:path'
import { defaultKeyFile, resealFolderKey } from '../../../persistence/folder-key.ts'
import { DataFolderError, lockExisting } from '../../../persistence/snapshot/recovery.ts'
import type { CommandSpec } from '../../command-line.ts'
import { faultRequested } from '../../settings/fault.ts'
import { readSetting, requiredFlag, WrongUse } from '../../settings/flags.ts'
import { path } from '../../settings/kinds.ts'
import { EXIT } from '../../shell.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

const NEW_KEY_FILE = requiredFlag(
  'new-key-file',
  path('FILE', 'the path of a file'),
  '',
  'The file of the new server key; it is made when it does not exist.',
)

export const keyCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, NEW_KEY_FILE],
  words: [{ shape: '<rotate>', about: 'What is done.', choices: ['rotate'] }],
  notes: [
    'Stop the server first. --key-file names the old key. Backups keep theirs until',
    'they are brought up to date.',
  ].join('\n'),
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile } = folderOf(line)
    const oldFile = keyFile ?? defaultKeyFile(dataDir)
    const newFile = readSetting(NEW_KEY_FILE, line.given)
    if (resolve(newFile) === resolve(oldFile)) {
      throw new WrongUse('--new-key-file must be another file than that of the old key')
    }
    const fault = faultRequested(shell.env)
    if (fault !== null) shell.warn(fault)
    const lock = lockExisting(dataDir)
    try {
      const isDone = resealFolderKey(dataDir, oldFile, newFile)
      if (!isDone) shell.say(`${newFile} opens the folder already.`)
    } finally {
      lock.release()
    }
    shell.say(
      `Start the exchange with --key-file ${newFile}. ${oldFile} opens this folder no more; ` +
        'backups that were made with it still need it.',
    )
    return EXIT.OK
  },
}
