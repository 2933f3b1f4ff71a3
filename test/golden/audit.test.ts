import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCommand, encodeControl } from '../../engine/wire/codec.ts'
import { openReadOnly } from '../../persistence/database.ts'
import { readPath } from '../../persistence/follower/read-database.ts'
import { rebuildReadTables } from '../../persistence/follower/rebuild.ts'
import { audit } from '../../persistence/query/read/audit.ts'
import { auditEntry, auditEntryOf } from '../../server/api/admin/admin-access.ts'
import { compile } from '../../server/edge/http/schema/schema.ts'
import { newFolder } from '../support/data-folder.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { NEWEST, readRecording } from './recording.ts'

/** The recording has texts that no call may send. */
const OF_TEXTS = /^must (have this form|not be empty)/

/** The record as if an operator had caused its command. */
function byOperator(record: Uint8Array): Uint8Array {
  const command = decodeCommand(record)
  switch (command.kind) {
    case 'placeOrder':
    case 'releaseOrder':
    case 'cancelOrders':
    case 'decreaseOrder':
      return record
    default:
      return encodeControl({ ...command, by: 'ada' })
  }
}

test('the audit shows whatever an operator may cause, each field as its schema names it', () => {
  const dataDir = newFolder()
  fillJournal(dataDir, readRecording(NEWEST).records.map(byOperator))
  rebuildReadTables(dataDir)
  const connection = openReadOnly(readPath(dataDir))
  const rows = audit.open(connection)({ beforeSeq: 1e9, operator: 'ada', limit: 1e9 })
  connection.close()
  assert.ok(rows.length > 1000, `${rows.length} acts`)
  const shape = compile(auditEntry)
  const issues = rows.flatMap((row) => [...shape.issues(auditEntryOf(row))])
  assert.deepEqual(
    issues.filter(({ message }) => !OF_TEXTS.test(message)),
    [],
  )
})
