import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Abi, type Address, getAddress, keccak256, parseEventLogs, toHex } from 'viem'
import type { Clearing } from '../../engine/core/clearing.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import { compiledContracts } from '../../server/build/contracts.ts'
import {
  accountOf,
  type ClientOrder,
  signClientOrder,
} from '../../server/edge/intake/order/client-order.ts'
import type { Contract } from '../../server/settlement/evm/contracts.ts'
import { type Deployment, deployExchange } from '../../server/settlement/evm/deployment.ts'
import { Anvil } from './anvil.ts'
import { newFolder } from './data-folder.ts'
import { flagsOf } from './flags.ts'
import { at } from './json-path.ts'
import { CHAIN_ID, DOMAIN_NAME } from './live-orders.ts'
import { until } from './until.ts'

// The contracts of an exchange on a local chain, with collateral that anyone can make, and calls
// of them in the name of any address.

/** The roles of the contracts. */
export const OWNER: Address = '0x00000000000000000000000000000000000000c0'
export const RESOLVER: Address = '0x00000000000000000000000000000000000000e0'
export const OPERATOR: Address = '0x00000000000000000000000000000000000000d0'
export const FEE_RECEIVER: Address = '0x00000000000000000000000000000000000000fe'
/** Where the public client looks for the token contracts of chain 8453. */
export const PUBLIC_PLACES: Places = {
  collateral: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  tokens: '0xC9c98965297Bc527861c898329Ee280632B76e18',
}
/** No account of the chain has gas money. */
const FREE = { gas: 30_000_000n, gasPrice: 0n } as const

type Args = readonly unknown[]

/** Addresses of the token contracts. */
export interface Places {
  readonly collateral: Address
  readonly tokens: Address
}

/** A key in a file, and its account. */
export interface KeyFile {
  readonly file: string
  readonly account: Address
}

export function freshKeyFile(): KeyFile {
  const key = randomBytes(32)
  const file = join(newFolder(), 'key')
  writeFileSync(file, key.toString('hex'), { mode: 0o600 })
  return { file, account: getAddress(accountOf(key)) }
}

export interface Sent {
  readonly gasUsed: bigint
  readonly events: readonly { readonly eventName: string; readonly args: unknown }[]
}

/** The contract that the package ships compiled. */
const conditionalTokens: Contract = createRequire(import.meta.url)(
  '@gnosis.pm/conditional-tokens-contracts/build/contracts/ConditionalTokens.json',
)

function errorsOf({ abi }: Contract): Abi {
  return abi.filter(({ type }) => type === 'error')
}

export class EvmStage {
  readonly anvil: Anvil
  readonly at: Deployment & Places
  readonly #abis: Readonly<Record<Address, Abi>>

  private constructor(anvil: Anvil, at: EvmStage['at'], abis: Readonly<Record<Address, Abi>>) {
    this.anvil = anvil
    this.at = at
    this.#abis = abis
  }

  static async open(places?: Places): Promise<EvmStage> {
    const anvil = await Anvil.start(['--chain-id', String(CHAIN_ID)])
    const contracts = compiledContracts()
    const { client } = anvil
    const from = { account: OWNER, chain: null, ...FREE }
    const create = async ({ abi, bytecode }: Contract, args: Args = []) => {
      const hash = await client.deployContract({ abi, bytecode, args: [...args], ...from })
      const { contractAddress } = await anvil.receiptOf(hash)
      assert.ok(contractAddress != null)
      return contractAddress
    }
    const createAt = async (contract: Contract, place: Address | undefined) => {
      const address = await create(contract)
      if (place === undefined) return address
      const bytecode = await client.getCode({ address })
      assert.ok(bytecode !== undefined)
      await client.setCode({ address: place, bytecode })
      return place
    }
    const call = async ({ abi }: Contract, address: Address, functionName: string, args: Args) => {
      const hash = await client.writeContract({ abi, address, functionName, args, ...from })
      const { status } = await anvil.receiptOf(hash)
      assert.equal(status, 'success')
    }
    const collateral = await createAt(contracts.TestDollar, places?.collateral)
    const tokens = await createAt(conditionalTokens, places?.tokens)
    const deployed = await deployExchange({ create, call }, contracts, {
      domainName: DOMAIN_NAME,
      collateral,
      conditionalTokens: tokens,
      feeReceiver: FEE_RECEIVER,
      operators: [OPERATOR],
      resolvers: [RESOLVER],
    })
    return new EvmStage(
      anvil,
      { ...deployed, collateral, tokens },
      {
        [collateral]: contracts.TestDollar.abi,
        [tokens]: conditionalTokens.abi,
        [deployed.exchange]: contracts.Exchange.abi,
        [deployed.adapter]: contracts.GroupAdapter.abi,
        // The errors of wallets are those of calls that it passes on.
        [deployed.wallets]: [...contracts.WalletFactory.abi, ...errorsOf(contracts.Wallet)],
      },
    )
  }

  end(): Promise<void> {
    return this.anvil.end()
  }

  #abiOf(address: Address): Abi {
    return this.#abis[address] ?? compiledContracts().Wallet.abi
  }

  /** Sends a call in a transaction of its own; fails when it reverts. */
  async send(address: Address, functionName: string, args: Args, from = OPERATOR): Promise<Sent> {
    const { client } = this.anvil
    const call = { address, abi: this.#abiOf(address), functionName, args, account: from, ...FREE }
    await client.simulateContract(call)
    const hash = await client.writeContract({ ...call, chain: null })
    const { gasUsed, logs, status } = await this.anvil.receiptOf(hash)
    assert.equal(status, 'success')
    const abi = Object.values(this.#abis).flat()
    return { gasUsed, events: parseEventLogs({ abi, logs }) }
  }

  /** The result of a call that changes nothing. */
  read(address: Address, functionName: string, args: Args = []): Promise<unknown> {
    const abi = this.#abiOf(address)
    return this.anvil.client.readContract({ address, abi, functionName, args })
  }

  /** Prepares the market of a slug; its token ids. */
  async prepareMarket(slug: string): Promise<{ readonly yes: string; readonly no: string }> {
    const { exchange } = this.at
    return this.registered(await this.send(exchange, 'prepareMarket', [keccak256(toHex(slug))]))
  }

  /** The token ids that a transaction registered. */
  registered({ events }: Sent): { readonly yes: string; readonly no: string } {
    const [found] = events.filter(({ eventName }) => eventName === 'MarketRegistered')
    return { yes: String(at(found?.args, 'yes')), no: String(at(found?.args, 'no')) }
  }

  /** A key of an account with both roles; it has coins for a while. */
  async operatorKey(): Promise<KeyFile> {
    const made = freshKeyFile()
    const { account } = made
    await this.anvil.client.setBalance({ address: account, value: 10n ** 21n })
    for (const role of ['setOperator', 'setResolver']) {
      for (const contract of [this.at.exchange, this.at.adapter]) {
        await this.send(contract, role, [account, true], OWNER)
      }
    }
    return made
  }

  /** The flags of an exchange that settles here, by default with a key of its own that pays. */
  async servedBy(
    more: Readonly<Record<string, string | number>> = {},
    keys?: readonly KeyFile[],
  ): Promise<string[]> {
    const paying = keys ?? [await this.operatorKey()]
    return flagsOf({
      'chain-rpc': this.anvil.url,
      'chain-key': paying.map(({ file }) => file).join(','),
      'chain-confirmations': 1,
      'chain-poll-ms': 20,
      'chain-behind-ms': 0,
      'block-ms': 0,
      'exchange-address': getAddress(this.at.exchange),
      'collateral-address': getAddress(this.at.collateral),
      ...more,
    })
  }

  /** Gives an account collateral, and lets the exchange and its adapter move what it has. */
  async fund(owner: string, amountRaw: number | bigint): Promise<void> {
    const account = getAddress(owner)
    const { collateral, tokens, exchange, adapter } = this.at
    await this.mint(account, amountRaw)
    for (const spender of [exchange, adapter]) {
      await this.send(collateral, 'approve', [spender, 2n ** 256n - 1n], account)
      await this.send(tokens, 'setApprovalForAll', [spender, true], account)
    }
  }

  async mint(account: string, amountRaw: number | bigint): Promise<void> {
    await this.send(this.at.collateral, 'mint', [getAddress(account), BigInt(amountRaw)])
  }

  /** Gives an account coin for gas, which calls of this stage do not need. */
  async giveCoin(account: string): Promise<void> {
    await this.anvil.client.setBalance({ address: getAddress(account), value: 10n ** 18n })
  }

  /** Gives traders of an exchange collateral, and waits until it has seen all of it. */
  async fundAll(
    { accounts, ledger, chainFunds }: Clearing,
    traders: readonly { readonly account: string; readonly profileId: number }[],
    amountRaw: number,
  ): Promise<void> {
    const dueRaw = traders.map(({ profileId }) => ledger.freeRaw(profileId) + amountRaw)
    for (const { account, profileId } of traders) {
      // The exchange approves for its own wallets.
      const isServers = accounts.partners.byId(profileId)?.sealedKey != null
      if (isServers) await this.mint(account, amountRaw)
      else await this.fund(account, amountRaw)
    }
    // With two confirmations, the newest block is not final yet.
    await this.anvil.client.mine({ blocks: 1 })
    await until(() =>
      traders.every(({ profileId }, index) => {
        const { submitted = [] } = accounts.partners.byId(profileId) ?? {}
        const isAllowed = chainFunds.allowanceOf(profileId)?.ofShares === true
        return isAllowed && submitted.length === 0 && ledger.freeRaw(profileId) >= dueRaw[index]
      }),
    )
  }

  /** Sends an approval of collateral, and does not wait for its block. */
  approve(owner: string, amountRaw: bigint): Promise<void> {
    return this.#write('approve', [this.at.exchange, amountRaw], owner)
  }

  /** Sends collateral from one wallet to another, and does not wait for its block. */
  pay(owner: string, to: string, amountRaw: bigint): Promise<void> {
    return this.#write('transfer', [getAddress(to), amountRaw], owner)
  }

  async #write(functionName: string, args: Args, owner: string): Promise<void> {
    const { collateral: address } = this.at
    const call = { address, abi: this.#abiOf(address), functionName, args: [...args], ...FREE }
    await this.anvil.client.writeContract({ ...call, account: getAddress(owner), chain: null })
  }

  /** Signs an order for the contract of this exchange. */
  sign(order: ClientOrder, key: Uint8Array): ClientOrder {
    const domain = { name: DOMAIN_NAME, chainId: CHAIN_ID, exchange: this.at.exchange }
    return signClientOrder(order, domain, key)
  }

  async collateralOf(account: string): Promise<bigint> {
    return BigInt(String(await this.read(this.at.collateral, 'balanceOf', [account])))
  }

  /** Asserts that wallets hold what the ledger says; the receiver of fees may hold earlier ones. */
  async assertReconciled(
    { ledger }: Clearing,
    traders: readonly { readonly account: string; readonly profileId: number }[],
    markets: readonly { readonly id: number; readonly tokens: readonly string[] }[],
    feesBeforeRaw = 0n,
  ): Promise<void> {
    for (const { account, profileId } of traders) {
      const heldRaw = ledger.freeRaw(profileId) + ledger.reservedRaw(profileId)
      assert.equal(await this.collateralOf(account), BigInt(heldRaw), account)
    }
    const feesRaw = (await this.collateralOf(FEE_RECEIVER)) - feesBeforeRaw
    assert.equal(feesRaw, BigInt(ledger.freeRaw(FEE_ACCOUNT)))
    for (const { id, tokens } of markets) {
      for (const [outcome, token] of tokens.entries()) {
        for (const { account, profileId } of traders) {
          const place: number = ledger.rows.find(profileId, id) * 2 + outcome
          const heldRaw: number = ledger.sharesFreeRaw[place] + ledger.sharesReservedRaw[place]
          assert.equal(await this.sharesOf(account, token), BigInt(heldRaw), account)
        }
        const feeSharesRaw = ledger.freeSharesRaw(FEE_ACCOUNT, id, outcome)
        assert.equal(await this.sharesOf(FEE_RECEIVER, token), BigInt(feeSharesRaw))
      }
    }
  }

  async sharesOf(account: string, token: string): Promise<bigint> {
    return BigInt(String(await this.read(this.at.tokens, 'balanceOf', [account, BigInt(token)])))
  }
}

/** An order as the contract takes it. */
export function tupleOf(order: ClientOrder) {
  return {
    ...order,
    salt: BigInt(order.salt),
    tokenId: BigInt(order.tokenId),
    makerAmount: BigInt(order.makerAmount),
    takerAmount: BigInt(order.takerAmount),
    expiration: BigInt(order.expiration),
    nonce: BigInt(order.nonce),
    feeRateBps: BigInt(order.feeRateBps),
  }
}

/** A trade as the contract takes it; the fee is in shares for a buy, in collateral for a sale. */
export function tradeOf(
  id: number,
  taker: ClientOrder,
  makers: readonly (readonly [order: ClientOrder, sharesRaw: number])[],
  feeRaw: number,
) {
  return {
    id: BigInt(id),
    taker: tupleOf(taker),
    makers: makers.map(([order, sharesRaw]) => {
      return { order: tupleOf(order), shares: BigInt(sharesRaw) }
    }),
    fee: BigInt(feeRaw),
  }
}

/** Asserts that a call reverts with an error of this name. */
export function assertReverts(sent: Promise<unknown>, name: string): Promise<void> {
  return assert.rejects(sent, (error) => String(error).includes(`${name}(`))
}
