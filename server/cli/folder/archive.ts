import { spawnSync } from 'node:child_process'
import {
  type MovedSegments,
  moveSegments,
  type TakeSegment,
  takeInto,
} from '../../../persistence/archive/move-segments.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import type { CommandSpec, Line } from '../../command-line.ts'
import { flagOf, readSetting, WrongUse } from '../../settings/flags.ts'
import { optional, path, shellCommand } from '../../settings/kinds.ts'
import { EXIT, Failure } from '../../shell.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

// `outcomex archive` moves segments of the journal to another disk or another machine.

const TO = flagOf(
  'to',
  optional(path('DIR', 'the path of a folder')),
  undefined,
  'The folder that receives the segments.',
)
const COMMAND = flagOf(
  'command',
  optional(shellCommand),
  undefined,
  'Run for each segment, whose path is in $SEGMENT; the file is deleted when it ends with 0.',
)
const NOTES = [
  'The server may run meanwhile. Its next start needs no segment. Put all of them back',
  'into the folder archive before rebuild, before the first start of a restored backup,',
  'and before an upgrade that changes the read tables or the snapshots.',
].join('\n')

function takeBy(command: string): TakeSegment {
  return (_folder, segment) => {
    const env = { ...process.env, SEGMENT: segment }
    const { status } = spawnSync('sh', ['-c', command], { env, stdio: 'inherit' })
    if (status === 0) return
    throw new Failure(`${segment}: the command ended with ${status}, so the file stays.`)
  }
}

function takeOf({ given }: Line): TakeSegment {
  const to = readSetting(TO, given)
  const command = readSetting(COMMAND, given)
  if (to !== undefined && command === undefined) return takeInto(to)
  if (to === undefined && command !== undefined) return takeBy(command)
  throw new WrongUse('Give --to or --command: where the segments go')
}

export const archiveCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, TO, COMMAND],
  notes: NOTES,
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile } = folderOf(line)
    const take = takeOf(line)
    const { count, bytes }: MovedSegments = moveSegments(dataDir, take, { keyFile })
    shell.say(`${count} segments, ${bytes} bytes moved away`)
    return EXIT.OK
  },
}
