import { readStates } from '../../../persistence/snapshot/past-states.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import { helpText, readSetting, type Setting, WrongUse } from '../../settings/flags.ts'
import { count, optional } from '../../settings/kinds.ts'
import { command, EXIT } from '../../shell.ts'
import { progressLines } from '../progress.ts'
import { changedLines, type StateLines, stateLines } from './state-lines.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

const seq = optional(count(1, Number.MAX_SAFE_INTEGER, 'SEQ'))
const UNTIL: Setting<number | undefined> = {
  flag: 'until',
  kind: seq,
  fallback: undefined,
  help: 'The last command that counts; without it the newest.',
}
const DIFF: Setting<number | undefined> = {
  flag: 'diff',
  kind: seq,
  fallback: undefined,
  help: 'Print only what changed since this command: - for what was, + for what is.',
}
export const REPLAY_ROWS = [UNTIL, DIFF]

const ABOUT = 'Prints the state of an exchange as it was behind a command.'

function help(): string {
  const flags = helpText([...OFFLINE_ROWS, ...REPLAY_ROWS])
  return [`outcomex replay: ${ABOUT}`, 'The server may run meanwhile.', '', flags].join('\n')
}

/** So many lines are written at once. */
const LINES_AT_ONCE = 1000

export const replayCommand = command({
  about: ABOUT,
  flags: [...OFFLINE_ROWS, ...REPLAY_ROWS],
  help,
  isKnown: (error) => error instanceof DataFolderError,
  async work(args, shell) {
    const { dataDir, keyFile, given } = folderOf('replay', args, shell, REPLAY_ROWS)
    const until = readSetting(UNTIL, given) ?? ('newest' as const)
    const from = readSetting(DIFF, given)
    if (from !== undefined && until !== 'newest' && from >= until) {
      throw new WrongUse('--diff must be a command before that of --until')
    }
    const states: StateLines[] = []
    const heads: string[] = []
    const onProgress = progressLines('journal', shell)
    const seqs = from === undefined ? [until] : [from, until]
    readStates(dataDir, seqs, { keyFile, onProgress }, (exchange) => {
      const { lastSeq, lastNowMs } = exchange.clearing
      heads.push(`seq ${lastSeq} at ${new Date(lastNowMs).toISOString()}`)
      heads.push(`state ${exchange.stateHash()}`)
      states.push(stateLines(exchange))
    })
    const [first, second] = states
    const body = second === undefined ? [...first.values()] : changedLines(first, second)
    const lines = [...heads, ...body]
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      shell.say(lines.slice(at, at + LINES_AT_ONCE).join('\n'))
    }
    return EXIT.OK
  },
})
