import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChainTransactions } from '../../../../engine/core/money/chain-transactions.ts'
import type { CommandOf } from '../../../../engine/domain/command-kinds.ts'

const at = { seq: 100, nowMs: 1 }
const SENDER = '0x00000000000000000000000000000000000000D0'
const OTHER = '0x00000000000000000000000000000000000000E0'

type Command = CommandOf<'transactions'>

const hashOf = (name: string) => `0x${name.padEnd(64, '0')}`

function sent(nonce: number, name: string, trades?: readonly number[], account = SENDER): Command {
  const attempt = { account, nonce, txHash: hashOf(name), rawTx: Buffer.from(name, 'hex') }
  return {
    ...at,
    kind: 'submitTransaction',
    ...attempt,
    ...(trades === undefined ? {} : { trades }),
  }
}

function ended(nonce: number, name: string, account = SENDER): Command {
  const kind = 'endTransaction'
  return { ...at, kind, account, nonce, txHash: hashOf(name), isReverted: false }
}

function after(...commands: readonly Command[]): ChainTransactions {
  const transactions = new ChainTransactions()
  for (const command of commands) transactions.apply(command)
  return transactions
}

function senderIn(transactions: ChainTransactions, account: string) {
  const sender = transactions.capture().find((each) => each.account === account)
  assert.ok(sender !== undefined)
  return sender
}

test('a transaction waits, with all its attempts, until one of them happened', () => {
  const transactions = after(sent(7, 'aa', [3, 5]), sent(8, 'bb', [6]), sent(7, 'cc'))
  const waiting = () =>
    senderIn(transactions, SENDER).sent.map(({ nonce, trades }) => [nonce, trades])
  assert.deepEqual(waiting(), [
    [7, [3, 5]],
    [8, [6]],
  ])
  const [{ attempts }] = senderIn(transactions, SENDER).sent
  assert.deepEqual(
    attempts.map(({ txHash }) => txHash),
    [hashOf('aa'), hashOf('cc')],
  )
  transactions.apply(ended(7, 'aa'))
  assert.deepEqual(waiting(), [[8, [6]]])
  assert.deepEqual([transactions.count, senderIn(transactions, SENDER).nextNonce], [1, 9])
})

test('a nonce of an account is used once, and only what was sent happens', () => {
  const first = [sent(7, 'aa', [3]), ended(7, 'aa')]
  assert.throws(() => after(...first, sent(7, 'bb', [4])), /a nonce is used once/)
  assert.throws(() => after(sent(7, 'aa', [3]), ended(7, 'bb')), /that happened was sent/)
  assert.throws(() => after(...first, ended(7, 'aa')), /that happened was sent/)
  const both = after(...first, sent(7, 'bb', [4], OTHER))
  assert.deepEqual(
    [SENDER, OTHER].map((account) => senderIn(both, account).sent.length),
    [0, 1],
  )
})

test('a restored state has the same hash, and an older snapshot has no transactions', () => {
  const transactions = after(sent(7, 'aa', [3]), sent(2, 'bb', [4], OTHER), sent(7, 'cc'))
  const restored = new ChainTransactions()
  restored.restore(transactions.capture())
  assert.deepEqual([...restored.hashedFields()], [...transactions.hashedFields()])
  const older = new ChainTransactions()
  older.restore(undefined)
  assert.deepEqual([...older.hashedFields()], [])
})
