import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Address, encodeFunctionData, getAddress, type Hex, hashMessage, parseAbi } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { anvilSkip } from '../../support/anvil.ts'
import { assertReverts, EvmStage } from '../../support/evm-stage.ts'
import { CHAIN_ID } from '../../support/live-orders.ts'

// Wallets of the factory: their address is known before they exist, and only their owner acts.

const skip = anvilSkip
const UNITS = 1_000_000n
const FAR_SEC = 2n ** 40n
const STRANGER = getAddress(`0x${'5a'.repeat(20)}`)
const TOKEN = parseAbi(['function transfer(address to, uint256 amount)'])
const ID = 77n
const TYPES = {
  Calls: [
    { name: 'calls', type: 'Call[]' },
    { name: 'id', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  Call: [
    { name: 'target', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
} as const

let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

let owners = 0

async function walletOf(owner: Address): Promise<Address> {
  return getAddress(String(await stage.read(stage.at.wallets, 'walletOf', [owner])))
}

async function madeWallet(): Promise<{ owner: PrivateKeyAccount; wallet: Address }> {
  const owner = privateKeyToAccount(`0x${(++owners).toString(16).padStart(64, '0')}`)
  const wallet = await walletOf(owner.address)
  await stage.send(stage.at.wallets, 'make', [owner.address], STRANGER)
  return { owner, wallet }
}

const transferOf = (amount: bigint): Hex =>
  encodeFunctionData({ abi: TOKEN, functionName: 'transfer', args: [STRANGER, amount] })

/** Two calls: all or none are made. */
const callsOf = (data: Hex) =>
  [transferOf(0n), data].map((each) => ({ target: stage.at.collateral, value: 0n, data: each }))

interface SignedCall {
  readonly wallet: Address
  readonly id?: bigint
  readonly deadline?: bigint
  readonly chainId?: number
}

function signed(
  owner: PrivateKeyAccount,
  data: Hex,
  { wallet, id = ID, deadline = FAR_SEC, chainId = CHAIN_ID }: SignedCall,
): Promise<Hex> {
  return owner.signTypedData({
    domain: { chainId, verifyingContract: wallet },
    types: TYPES,
    primaryType: 'Calls',
    message: { calls: callsOf(data), id, deadline },
  })
}

test('only the owner moves what a wallet holds', { skip }, async () => {
  const { owner, wallet } = await madeWallet()
  const { collateral, wallets } = stage.at
  await stage.send(wallets, 'make', [owner.address], STRANGER)
  assert.equal(await stage.read(wallet, 'owner'), owner.address, 'a second making changes nothing')
  await assertReverts(stage.send(wallet, 'setOwner', [STRANGER], STRANGER), 'AlreadyOwned')
  const shared = getAddress(String(await stage.read(wallets, 'implementation')))
  await assertReverts(stage.send(shared, 'setOwner', [STRANGER], STRANGER), 'AlreadyOwned')
  const zero = getAddress(`0x${'00'.repeat(20)}`)
  await assertReverts(stage.send(wallets, 'make', [zero], STRANGER), 'OwnerInvalid')
  await stage.fund(wallet, UNITS)
  const data = transferOf(UNITS / 4n)
  await assertReverts(stage.send(wallet, 'execute', [collateral, 0n, data], STRANGER), 'NotOwner')
  await stage.send(wallet, 'execute', [collateral, 0n, data], owner.address)
  assert.equal(await stage.collateralOf(wallet), (UNITS * 3n) / 4n)
  const all = transferOf(2n * UNITS)
  await assertReverts(
    stage.send(wallet, 'execute', [collateral, 0n, all], owner.address),
    'CallFailed',
  )
})

test('a call that the owner signed is made once, in time, and by its own wallet', {
  skip,
}, async () => {
  const { owner, wallet } = await madeWallet()
  const other = await madeWallet()
  const { wallets } = stage.at
  for (const each of [wallet, other.wallet]) await stage.fund(each, UNITS)
  const data = transferOf(1n)
  const call = (signature: Hex, deadline = FAR_SEC, by = owner, id = ID) =>
    stage.send(wallets, 'execute', [by.address, callsOf(data), id, deadline, signature], STRANGER)
  const right = await signed(owner, data, { wallet })
  await assertReverts(call(right, FAR_SEC, other.owner), 'NotOwner')
  await assertReverts(call(right, FAR_SEC, owner, ID + 1n), 'NotOwner')
  await assertReverts(
    stage.send(wallet, 'executeSigned', [callsOf(data), ID, FAR_SEC, right], STRANGER),
    'NotFactory',
  )
  await assertReverts(call(right, FAR_SEC + 1n), 'NotOwner')
  await assertReverts(call(await signed(other.owner, data, { wallet })), 'NotOwner')
  await assertReverts(call(await signed(owner, data, { wallet, id: ID + 1n })), 'NotOwner')
  await assertReverts(call(await signed(owner, data, { wallet, chainId: 1 })), 'NotOwner')
  const late = { wallet, deadline: 1n }
  await assertReverts(call(await signed(owner, data, late), 1n), 'DeadlinePassed')
  const { events } = await call(right)
  const made = events.find(({ eventName }) => eventName === 'CallsMade')
  assert.deepEqual(made?.args, { id: ID, wallet })
  await assertReverts(call(right), 'CallsKnown')
  const next = await signed(owner, data, { wallet, id: ID + 1n })
  await call(next, FAR_SEC, owner, ID + 1n)
  assert.equal(await stage.collateralOf(wallet), UNITS - 2n)
})

test('calls that an owner signed make its wallet too, all or none of them', { skip }, async () => {
  const owner = privateKeyToAccount(`0x${(++owners).toString(16).padStart(64, '0')}`)
  const wallet = await walletOf(owner.address)
  await stage.send(stage.at.collateral, 'mint', [wallet, UNITS])
  const call = async (data: Hex) => {
    const signature = await signed(owner, data, { wallet })
    const args = [owner.address, callsOf(data), ID, FAR_SEC, signature]
    return stage.send(stage.at.wallets, 'execute', args, STRANGER)
  }
  await assertReverts(call(transferOf(UNITS + 1n)), 'CallFailed')
  await call(transferOf(UNITS))
  assert.equal(await stage.read(wallet, 'owner'), owner.address)
  assert.equal(await stage.collateralOf(wallet), 0n)
})

test('a wallet takes signatures of its owner as its own', { skip }, async () => {
  const { owner, wallet } = await madeWallet()
  const other = await madeWallet()
  const hash = hashMessage('hello')
  const answer = (signature: Hex) => stage.read(wallet, 'isValidSignature', [hash, signature])
  const right = await owner.sign({ hash })
  assert.equal(await answer(right), '0x1626ba7e')
  assert.equal(await answer(await other.owner.sign({ hash })), '0xffffffff')
  for (const wrong of ['0x', `${right}00`, right.slice(0, -2)] as const) {
    assert.equal(await answer(`0x${wrong.slice(2)}`), '0xffffffff')
  }
})
