import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { oneLine, printable } from '../../../server/shell.ts'
import { newFolder } from '../../support/data-folder.ts'
import { runProgram } from '../../support/server-process.ts'

// What a command prints cannot steer the terminal, whoever wrote the text among it.

test('control characters and changes of direction are printed as JSON escapes them', () => {
  assert.equal(printable('a\u001b[2Jb'), 'a\\u001b[2Jb')
  assert.equal(printable('\u0007\u007f\u009b\u202e\u2066'), '\\u0007\\u007f\\u009b\\u202e\\u2066')
  assert.equal(printable('one\n\ttwo'), 'one\n\ttwo')
  assert.equal(printable('a,b\r\nc,d\r'), 'a,b\r\nc,d\r', 'lines of CSV')
  assert.equal(printable('hidden\rshown'), 'hidden\\u000dshown')
  assert.equal(printable('été 雨 👍🏽'), 'été 雨 👍🏽')
  const value = { title: 'a\u001b\u009b\u202eb' }
  assert.deepEqual(JSON.parse(printable(JSON.stringify(value))), value)
  assert.equal(oneLine('holds\r\n\tno'), 'holds\\u000d\\u000a\\u0009no')
})

test('commands print the text of a file and of an argument cleaned', async () => {
  const file = join(newFolder(), 'proof\u001b[2J.json')
  writeFileSync(file, '{')
  for (const args of [['verify-proof', file], ['verify', '--a\u001b[2J'], ['\u001b[2J']]) {
    const { stdout, stderr } = await runProgram(args)
    assert.ok(!(stdout + stderr).includes('\u001b'))
    assert.match(stdout + stderr, /\\u001b\[2J/, JSON.stringify(args))
  }
})
