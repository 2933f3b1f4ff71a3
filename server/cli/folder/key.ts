import { resolve } from 'node:path'
import { defaultKeyFile, resealFolderKey } from '../../../persistence/folder-key.ts'
import { DataFolderError, lockExisting } from '../../../persistence/snapshot/recovery.ts'
import { faultRequested } from '../../settings/fault.ts'
import { helpText, readSetting, type Setting, scanLine, WrongUse } from '../../settings/flags.ts'
import { optional } from '../../settings/kinds.ts'
import { path } from '../../settings/text-kinds.ts'
import { command, EXIT } from '../../shell.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

const NEW_KEY_FILE: Setting<string | undefined> = {
  flag: 'new-key-file',
  kind: optional(path('FILE', 'the path of a file')),
  fallback: undefined,
  help: 'The file of the new server key; it is made when it does not exist.',
}
export const KEY_ROWS = [NEW_KEY_FILE]

const ABOUT =
  'Seals the key of a data folder under a new server key; the old one opens nothing then.'

function help(): string {
  const flags = helpText([...OFFLINE_ROWS, ...KEY_ROWS])
  return [
    `outcomex key rotate --new-key-file FILE: ${ABOUT}`,
    'Stop the server first. --key-file names the old key. Backups keep theirs until they are',
    'brought up to date.',
    '',
    flags,
  ].join('\n')
}

export const keyCommand = command({
  about: ABOUT,
  flags: [...OFFLINE_ROWS, ...KEY_ROWS],
  words: ['rotate'],
  help,
  isKnown: (error) => error instanceof DataFolderError,
  async work(args, shell) {
    const { words: output } = scanLine(args, [...OFFLINE_ROWS, ...KEY_ROWS])
    if (output[0] !== 'rotate') throw new WrongUse('key takes one word: outcomex key rotate')
    const rest = args.filter((_arg, index) => index !== args.indexOf('rotate'))
    const { dataDir, keyFile, given } = folderOf('key rotate', rest, shell, KEY_ROWS)
    const oldFile = keyFile ?? defaultKeyFile(dataDir)
    const newFile = readSetting(NEW_KEY_FILE, given)
    if (newFile === undefined) throw new WrongUse('key rotate needs --new-key-file FILE')
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
})
