import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS } from '../../engine/domain/command-kinds.ts'
import { decodeCommand } from '../../engine/wire/codec.ts'
import { HEAD, KIND } from '../../engine/wire/record-layout.ts'
import { missingIn } from './coverage.ts'
import { NEWEST, readRecording, recordingNames } from './recording.ts'
import { replays } from './replay.ts'

test('this version has a recording with every kind of command and of result', () => {
  assert(recordingNames().includes(NEWEST), `node --import tsx test/golden/record.ts for ${NEWEST}`)
  const { records } = readRecording(NEWEST)
  assert.deepEqual(missingIn(records), [], 'the recording shows every kind')
  for (const record of records) {
    const { kind } = decodeCommand(record)
    const encoding = record[HEAD.kind] === KIND.REPLACE ? KIND.PLACE : record[HEAD.kind]
    assert.equal(encoding, KIND[COMMANDS[kind].encoding], kind)
  }
})

for (const name of recordingNames()) replays(name)
