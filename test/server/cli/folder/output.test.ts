import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rebuildReadTables } from '../../../../persistence/follower/rebuild.ts'
import { commands } from '../../../../server/cli/commands.ts'
import { pour } from '../../../../server/cli/folder/pour.ts'
import { runCommand } from '../../../../server/command-line.ts'
import type { Shell } from '../../../../server/shell.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { fillJournal } from '../../../support/journal-fill.ts'
import { recordAt, writeBatches } from '../../../support/journal-records.ts'
import { compileProgram, runProgram } from '../../../support/server-process.ts'

// What the long outputs of offline commands do when their reader is slow, stops, or wants more than
// the tables have.

/** More of them than a pipe holds. */
const PROFILES = 5000

function* profiles(): Iterable<Uint8Array> {
  for (let seq = 1; seq <= PROFILES + 1; seq++) yield recordAt(seq)
}

function shellOf(taken?: () => Promise<void>) {
  const [output, warned]: [string[], string[]] = [[], []]
  const shell: Shell = {
    env: {},
    nowMs: () => 0,
    say: (text: string) => output.push(text),
    warn: (text: string) => warned.push(text),
    ...(taken === undefined ? {} : { taken }),
  }
  return { shell, output, warned }
}

test('no line is made before the reader took what was written', async () => {
  const waiting: (() => void)[] = []
  const { shell, output } = shellOf(() => new Promise((resolve) => waiting.push(resolve)))
  let made = 0
  function* lines() {
    for (; made < 10_000; made++) yield 'x'.repeat(100)
  }
  const poured = pour(shell, lines())
  assert.ok(made < 700, `${made} lines for the first page`)
  for (let page = 1; made < 10_000; page++) {
    const before = made
    await new Promise(setImmediate)
    assert.deepEqual([made, output.length], [before, page], 'nothing goes on by itself')
    waiting.shift()?.()
    await new Promise(setImmediate)
    assert.ok(made - before <= 700, `${made - before} lines for one page`)
  }
  await poured
  assert.equal(output.join('\n').length, 10_000 * 101 - 1)
})

test('a reader that stops ends a command quietly, as it ends other tools', async () => {
  await compileProgram()
  const dataDir = newFolder()
  fillJournal(dataDir, profiles())
  const lines: [args: string[], first: RegExp][] = [
    [['replay'], /^seq 5001 at /],
    [['replay', '--diff', '1'], /^seq 1 at /],
    [['export', '--csv', 'balances'], /^profile,account,token/],
  ]
  const script = '"$@" | head -n 1; echo "code $PIPESTATUS"'
  for (const [args, first] of lines) {
    const wrapper = ['bash', '-c', script, 'outcomex']
    const { code, stdout, stderr } = await runProgram([...args, '--data', dataDir], { wrapper })
    const [head, output] = stdout.split('\n')
    assert.match(head, first)
    // A slow machine sees the progress.
    const rest = stderr.replaceAll(/^journal: seq \d+ of \d+\n/gm, '')
    assert.deepEqual([code, output, rest], [0, 'code 141', ''], args.join(' '))
  }
})

test('export says how many commands the tables are behind the journal', async () => {
  const dataDir = newFolder()
  writeBatches(dataDir, 2).close()
  rebuildReadTables(dataDir)
  const run = async () => {
    const { shell, output, warned } = shellOf()
    const args = ['export', '--csv', 'trades', '--data', dataDir]
    assert.equal(await runCommand(commands, args, '', shell), 0)
    assert.match(output.join('\n'), /^seq,time,market,.*,order,makers,maker_orders\r$/)
    return warned.join('\n')
  }
  assert.equal(await run(), '')
  writeBatches(dataDir, 1).close()
  assert.match(await run(), /show the commands up to 6\. The journal has 3 more/)
})
