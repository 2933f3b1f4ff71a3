import assert from 'node:assert/strict'
import { createCipheriv, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { getAddress } from 'viem'
import { formatAddress } from '../../../server/crypto/address.ts'
import { addressOfKey, signHash } from '../../../server/crypto/ecdsa.ts'
import { keccak256, keccakReady } from '../../../server/crypto/keccak.ts'
import type { KeySource } from '../../../server/settings/chain-settings.ts'
import { openKey } from '../../../server/settlement/evm/key/open-key.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { Reported } from '../../support/chain-desk.ts'
import { newFolder } from '../../support/data-folder.ts'
import { EvmStage, FEE_RECEIVER, OPERATOR } from '../../support/evm-stage.ts'
import { exchange } from '../../support/exchange.ts'
import { freePort } from '../../support/free-port.ts'
import { textAt } from '../../support/json-path.ts'
import { CHAIN_ID } from '../../support/live-orders.ts'
import { mirrored } from '../../support/mirrored.ts'
import { compileProgram, runProgram } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

// `outcomex chain` with a local chain, and keys in each form.

const skip = anvilSkip
const COIN = 10n ** 18n
const PASSWORD = 'a password with a space'
const folder = newFolder()
const key = randomBytes(32)
let stage: EvmStage
before(async () => {
  await keccakReady
  await compileProgram()
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

const payer = () => getAddress(formatAddress(addressOfKey(key)))

function fileOf(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const byCommand = (command: string): KeySource => ({ kind: 'command', command })

function inFile(file: string, passwordFile?: string): KeySource {
  return { kind: 'file', file, passwordFile }
}

const keyFile = () => fileOf('key', `${key.toString('hex')}\n`)

function chain(action: string, flags: Readonly<Record<string, string | number>>) {
  const all = { 'chain-rpc': stage.anvil.url, 'chain-id': CHAIN_ID, ...flags }
  return runProgram([
    'chain',
    action,
    ...Object.entries(all).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
  ])
}

function deployFlags(more: Readonly<Record<string, string | number>> = {}) {
  return {
    'collateral-address': stage.at.collateral,
    'conditional-tokens': stage.at.tokens,
    'fee-receiver': FEE_RECEIVER,
    ...more,
  }
}

/** A keystore as geth writes it; its parameters are weaker, which only makes the test faster. */
function keystoreOf(kdf: 'scrypt' | 'pbkdf2'): string {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived =
    kdf === 'scrypt'
      ? scryptSync(PASSWORD, salt, 32, { N: 4096, r: 8, p: 1 })
      : pbkdf2Sync(PASSWORD, salt, 1000, 32, 'sha256')
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(key), cipher.final()])
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext]))
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const cost = kdf === 'scrypt' ? { n: 4096, r: 8, p: 1 } : { c: 1000, prf: 'hmac-sha256' }
  return JSON.stringify({
    version: 3,
    id: 'of no matter',
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: hex(ciphertext),
      cipherparams: { iv: hex(iv) },
      kdf,
      kdfparams: { dklen: 32, salt: hex(salt), ...cost },
      mac: hex(mac),
    },
  })
}

/** A command that prints an address, and a signature of one digest. */
function commandOf(address: string, signature: Uint8Array): KeySource {
  const hex = Buffer.from(signature).toString('hex')
  const script = `case $1 in address) echo ${address};; sign) echo 0x${hex};; esac`
  return byCommand(`sh ${fileOf(`signer-${randomBytes(4).toString('hex')}`, script)}`)
}

test('a key is read from hex, from a keystore of each kind, and used by a command', async () => {
  const digest = randomBytes(32)
  const expected = signHash(digest, key)
  const passwordFile = fileOf('password', `${PASSWORD}\n`)
  const stores = (['scrypt', 'pbkdf2'] as const).map((kdf) => fileOf(kdf, keystoreOf(kdf)))
  const zeroV = expected.slice()
  zeroV[64] -= 27
  for (const source of [
    inFile(keyFile()),
    inFile(fileOf('0x', `0x${key.toString('hex').toUpperCase()}`)),
    ...stores.map((file) => inFile(file, passwordFile)),
    commandOf(payer(), expected),
    commandOf(payer().toLowerCase(), zeroV),
    commandOf(payer(), mirrored(expected)),
  ]) {
    const opened = await openKey(source)
    assert.equal(opened.address, payer())
    assert.deepEqual(Buffer.from(await opened.sign(digest)), Buffer.from(expected))
  }
})

test('a key that is none is refused with a sentence that does not show it', async () => {
  const passwordFile = fileOf('wrong password', 'another')
  const store = fileOf('store', keystoreOf('scrypt'))
  const rows: [KeySource, RegExp][] = [
    [inFile(join(folder, 'none'), passwordFile), /none cannot be read: ENOENT/],
    [inFile(store, passwordFile), /the password does not open the keystore/],
    [inFile(store), /if it is a keystore, give --chain-key-password too/],
    [inFile(fileOf('zero', '00'.repeat(32)), passwordFile), /no private key of secp256k1/],
    [inFile(fileOf('text', 'hunter2'), passwordFile), /neither 64 hex digits nor a keystore/],
    [inFile(fileOf('json', '{"version":1}'), passwordFile), /is no keystore of version 3/],
    [byCommand('echo nobody'), /printed no address/],
    [byCommand('exit 3 #'), /ended with 3/],
    [byCommand('yes #'), /it took too long, or printed too much/],
  ]
  for (const [source, sentence] of rows) {
    await assert.rejects(openKey(source), (error) => {
      assert.ok(error instanceof Error)
      assert.match(error.message, sentence)
      assert.doesNotMatch(error.message, /hunter2|another/)
      return true
    })
  }
  const other = signHash(randomBytes(32), key)
  const opened = await openKey(commandOf(payer(), other))
  await assert.rejects(opened.sign(randomBytes(32)), /printed no signature of 0x/)
})

test('deploy creates an exchange whose status shows its parts and roles', { skip }, async () => {
  const { anvil, at: deployed } = stage
  await anvil.client.setBalance({ address: payer(), value: COIN })
  const dead = `http://127.0.0.1:${await freePort()}`
  const made = await chain('deploy', {
    ...deployFlags({ 'chain-key': keyFile(), operator: OPERATOR }),
    // The first URL answers nobody.
    'chain-rpc': `${dead},${anvil.url}`,
  })
  assert.equal(made.code, 0, made.stderr)
  const [, exchange] = /^exchange (0x[0-9a-fA-F]{40})$/m.exec(made.stdout) ?? []
  assert.ok(exchange !== undefined, made.stdout)
  assert.equal(made.stderr.match(/^create: transaction 0x[0-9a-f]{64}$/gm)?.length, 3)
  assert.doesNotMatch(made.stderr + made.stdout, new RegExp(key.toString('hex')))
  const shown = await chain('status', {
    'exchange-address': exchange,
    operator: `${OPERATOR},${payer()}`,
  })
  assert.equal(shown.code, 0, shown.stderr)
  for (const line of [
    `chain ${CHAIN_ID}`,
    `exchange ${exchange}`,
    `owner ${payer()}`,
    'paused false',
    `collateral ${getAddress(deployed.collateral)}`,
    `conditional tokens ${getAddress(deployed.tokens)}`,
    `fee receiver ${getAddress(FEE_RECEIVER)}`,
  ]) {
    assert.ok(shown.stdout.split('\n').includes(line), `${line}\n${shown.stdout}`)
  }
  const roles = (account: string) => {
    const [, found] =
      new RegExp(`^operator ${account}: (.*); balance`, 'm').exec(shown.stdout) ?? []
    return found
  }
  assert.equal(
    roles(getAddress(OPERATOR)),
    'settles, may not resolve; in groups settles, may not resolve',
  )
  assert.equal(roles(payer()), 'may not settle, resolves; in groups may not settle, resolves')
})

test('deploy sends nothing if the chain, a token or the payer is wrong', { skip }, async () => {
  const { anvil } = stage
  const sentBefore = await anvil.client.getTransactionCount({ address: payer() })
  await anvil.client.setBalance({ address: payer(), value: 0n })
  await anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 3n * 10n ** 9n })
  await anvil.client.mine({ blocks: 1 })
  const good = deployFlags({ 'chain-key': keyFile() })
  const closed = `http://127.0.0.1:${await freePort()}/secret-of-the-url`
  const rows: [Readonly<Record<string, string | number>>, number, RegExp][] = [
    [{ 'chain-id': 1 }, 1, /serves chain \d+, and --chain-id is 1/],
    [{ 'chain-rpc': closed }, 1, /no URL of --chain-rpc answers/],
    [{ 'chain-rpc': 'ws://here' }, 2, /--chain-rpc must be URLs that begin with http/],
    [{ 'collateral-address': OPERATOR }, 1, /is no ERC-20 token with 6 decimals/],
    [{ 'collateral-address': stage.at.tokens }, 1, /is no ERC-20 token with 6 decimals/],
    [{ 'conditional-tokens': stage.at.collateral }, 1, /has no ERC-1155 tokens/],
    [{ 'fee-receiver': `${payer().slice(0, -1)}!` }, 2, /--fee-receiver must be an address/],
    [{ 'gas-price-max': 2 }, 1, /a unit of gas costs [\d.]+ gwei, and --gas-price-max is 2/],
    [{}, 1, /has 0 of the chain's coin, and the next transaction may cost/],
    [{ 'chain-key-command': 'echo' }, 2, /Give --chain-key or --chain-key-command/],
  ]
  for (const [change, code, sentence] of rows) {
    const ran = await chain('deploy', { ...good, ...change })
    assert.equal(ran.code, code, ran.stderr)
    assert.match(ran.stderr, sentence)
    assert.doesNotMatch(ran.stderr, /secret-of-the-url|^ +at /m)
  }
  assert.equal(await anvil.client.getTransactionCount({ address: payer() }), sentBefore)
})

test('status refuses an address that is no exchange', { skip }, async () => {
  const rows: [string, RegExp][] = [
    [OPERATOR, /is no contract on this chain/],
    [stage.at.collateral, /is no exchange: it has no/],
  ]
  for (const [address, sentence] of rows) {
    const { code, stdout, stderr } = await chain('status', { 'exchange-address': address })
    assert.equal(code, 1)
    assert.match(stdout, /^block \d+, -?\d+ s old/m)
    assert.match(stderr, sentence)
  }
})

test('reconcile names each balance that the chain and the ledger do not agree on', {
  skip,
}, async () => {
  const fundsRaw = 1_000_000_000
  const own = await EvmStage.open()
  try {
    const { live, ann, ben, rain } = await exchange({
      flags: await own.servedBy(),
      traders: ['ann', 'ben'],
      markets: ['rain'],
    })
    await own.fundAll(live.exchange.pipeline.clearing, [ann, ben], fundsRaw)
    const reported = new Reported(live)
    const { body } = await live.trade(ann, ben, rain, { ticks: 600 })
    await reported.of(textAt(body, 'execution', 'tradeEventId'), 'MINED')
    const { exchange: address, collateral } = own.at
    const flags = { 'chain-rpc': own.anvil.url, data: live.dataDir, 'exchange-address': address }
    const agreed = await chain('reconcile', flags)
    assert.equal(agreed.code, 0, agreed.stderr)
    assert.match(agreed.stdout, /^balances 5, 0 with a difference$/m)
    // The exchange has ended, so it does not see it.
    await live.stop()
    await own.send(collateral, 'mint', [getAddress(ben.account), 2_500_000n])
    const { code, stdout } = await chain('reconcile', flags)
    assert.equal(code, 1)
    const amounts = 'ledger 994.000000, chain 996.500000, difference 2.500000'
    const lines = `${ben.account}, collateral: ${amounts}\nbalances 5, 1 with a difference\n`
    assert.ok(stdout.includes(lines), stdout)
    const wrong = await chain('reconcile', { ...flags, 'exchange-address': collateral })
    assert.match(wrong.stderr, /is no exchange: it has no collateral/)
  } finally {
    await own.end()
  }
})

test('resubmit sends again what nodes dropped, and changes no folder', { skip }, async () => {
  const fundsRaw = 1_000_000_000
  const own = await EvmStage.open()
  try {
    const { client, url } = own.anvil
    const { live, ann, ben, rain } = await exchange({
      flags: await own.servedBy({ 'chain-confirmations': 2, 'chain-repeat-ms': 3_600_000 }),
      traders: ['ann', 'ben'],
      markets: ['rain'],
    })
    await own.fundAll(live.exchange.pipeline.clearing, [ann, ben], fundsRaw)
    const reported = new Reported(live)
    const { clearing } = live.exchange.pipeline
    const { transactions } = clearing
    const traded = async (waiting: number) => {
      const { body } = await live.trade(ann, ben, rain, { ticks: 600 })
      await until(() => transactions.count === waiting)
      return textAt(body, 'execution', 'tradeEventId')
    }
    const resubmit = async (code: number, line: string) => {
      const ran = await chain('resubmit', { 'chain-rpc': url, data: live.dataDir })
      assert.equal(ran.code, code, ran.stdout + ran.stderr)
      assert.equal(ran.stdout.trimEnd().split('\n').at(-1), line, ran.stdout)
      return ran.stdout
    }
    await client.setAutomine(false)
    // The tokens of the market are registered by a transaction of their own.
    const trades = [await traded(2), await traded(3)]
    await until(async () => (await client.getTxpoolStatus()).pending === 3)
    await own.anvil.request('anvil_dropAllTransactions')
    const { lastSeq } = clearing
    const shown = await resubmit(0, '3 accepted, 0 known already, 0 in blocks, 0 refused')
    const [{ account, sent }] = transactions.capture()
    const lines = sent.map(({ nonce, attempts: [{ txHash }] }) => {
      return `${account}, nonce ${nonce}, transaction ${txHash}: accepted\n`
    })
    assert.ok(shown.includes(lines.join('')), shown)
    await resubmit(0, '0 accepted, 3 known already, 0 in blocks, 0 refused')
    await client.mine({ blocks: 1 })
    assert.match(
      await resubmit(0, '0 accepted, 0 known already, 3 in blocks, 0 refused'),
      new RegExp(`: in block ${await client.getBlockNumber()}$`, 'm'),
    )
    assert.equal(clearing.lastSeq, lastSeq, 'the exchange did nothing meanwhile')
    await client.mine({ blocks: 1 })
    for (const id of trades) await reported.of(id, 'MINED')
    await resubmit(0, '0 accepted, 0 known already, 0 in blocks, 0 refused')
    await traded(1)
    await until(async () => (await client.getTxpoolStatus()).pending === 1)
    await own.anvil.request('anvil_dropAllTransactions')
    const sender = getAddress(account)
    await client.sendTransaction({ account: sender, to: sender, chain: null, gasPrice: 0n })
    await client.mine({ blocks: 1 })
    assert.match(
      await resubmit(1, '0 accepted, 0 known already, 0 in blocks, 1 refused'),
      /: refused because .*nonce too low.*; the account used this nonce for something else/,
    )
    await live.stop()
  } finally {
    await own.end()
  }
})
