import type { Exchange } from '../../../engine/core/exchange.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { readStates } from '../../../persistence/snapshot/past-states.ts'
import { DataFolderError, type OfflineOptions } from '../../../persistence/snapshot/recovery.ts'
import type { CommandSpec } from '../../command-line.ts'
import { flagOf, readSetting, WrongUse } from '../../settings/flags.ts'
import { count, optional } from '../../settings/kinds.ts'
import { EXIT, type Shell } from '../../shell.ts'
import { progressLines } from '../progress.ts'
import { pour } from './pour.ts'
import { KeptLines } from './state-line.ts'
import { stateLines } from './state-lines.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

const seq = optional(count(1, Number.MAX_SAFE_INTEGER, 'SEQ'))
const UNTIL = flagOf(
  'until',
  seq,
  undefined,
  'The last command that counts; without it the newest.',
)
const DIFF = flagOf(
  'diff',
  seq,
  undefined,
  'Print only what changed since this command: - for what was, + for what is.',
)

function headOf(exchange: Exchange): string {
  const { lastSeq, lastNowMs } = exchange.clearing
  const at = new Date(lastNowMs).toISOString()
  return [`seq ${lastSeq} at ${at}`, `state ${exchange.stateHash()}`].join('\n')
}

function* textsOf({ clearing }: Exchange): Iterable<string> {
  for (const [, text] of stateLines(clearing)) yield text
}

async function sayChanges(
  dataDir: string,
  seqs: readonly [Seq, Seq | 'newest'],
  options: OfflineOptions,
  shell: Shell,
): Promise<void> {
  const before = new KeptLines()
  let isBefore = true
  try {
    await readStates(dataDir, seqs, options, async (exchange) => {
      shell.say(headOf(exchange))
      const lines = stateLines(exchange.clearing)
      if (isBefore) before.keep(lines)
      else await pour(shell, before.changedTo(lines))
      isBefore = false
    })
  } finally {
    before.close()
  }
}

export const replayCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, UNTIL, DIFF],
  notes: 'The server may run meanwhile.',
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile } = folderOf(line)
    const until = readSetting(UNTIL, line.given) ?? ('newest' as const)
    const from = readSetting(DIFF, line.given)
    if (from !== undefined && until !== 'newest' && from >= until) {
      throw new WrongUse('--diff must be a command before that of --until')
    }
    const options = { keyFile, onProgress: progressLines('journal', shell) }
    if (from !== undefined) await sayChanges(dataDir, [from, until], options, shell)
    else {
      await readStates(dataDir, [until], options, async (exchange) => {
        shell.say(headOf(exchange))
        await pour(shell, textsOf(exchange))
      })
    }
    return EXIT.OK
  },
}
