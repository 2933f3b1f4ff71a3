// `outcomex chain`: the contracts with which trades settle on an EVM chain.

import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from 'viem'
import { readStates } from '../../../persistence/snapshot/past-states.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import type { CommandSpec, Line, SubCommands } from '../../command-line.ts'
import { SETTINGS } from '../../config.ts'
import { parseAddress } from '../../crypto/address.ts'
import { keccakReady } from '../../crypto/keccak.ts'
import {
  CHAIN_SETTINGS,
  type KeySource,
  keySourcesOf,
  maxFeeWeiOf,
} from '../../settings/chain-settings.ts'
import { flagOf, readSetting, requiredFlag, WrongUse } from '../../settings/flags.ts'
import { address, commaList, optional } from '../../settings/kinds.ts'
import {
  abiOf,
  ChainClient,
  callOf,
  creationOf,
  type Payload,
  type Receipt,
} from '../../settlement/evm/chain-client.ts'
import { ChainTrouble } from '../../settlement/evm/chain-trouble.ts'
import { type Deployer, deployExchange } from '../../settlement/evm/deployment.ts'
import { evmAddress } from '../../settlement/evm/evm-address.ts'
import { exchangeParts } from '../../settlement/evm/exchange-parts.ts'
import { openKey } from '../../settlement/evm/key/open-key.ts'
import { loadContracts } from '../../settlement/evm/load-contracts.ts'
import { Submitter } from '../../settlement/evm/submitter.ts'
import { EXIT, type Shell } from '../../shell.ts'
import { unitsOf } from '../decimals.ts'
import { folderOf, OFFLINE_ROWS } from '../folder/verify.ts'
import { progressLines } from '../progress.ts'
import { compared } from './reconcile.ts'
import { foundText, resubmitted } from './resubmit.ts'

const WEI_OF_GWEI = 1_000_000_000
const COLLATERAL_DECIMALS = 6
/** ERC-165 of ERC-1155. */
const ERC1155 = '0xd9b67a26'
const PATIENCE_MS = 600_000
const REPEAT_MS = 30_000
/** Between two looks for a block: the first, and the longest. */
const [POLL_MS, POLL_MS_MAX] = [50, 2000]
/** A chain that made no block for so long stands still. */
const STALE_SEC = 120

const TOKEN_ABI = abiOf(
  'function decimals() view returns (uint8)',
  'function supportsInterface(bytes4) view returns (bool)',
)

const addresses = commaList(
  'ADDRESS,ADDRESS',
  /^0x[0-9a-fA-F]{40}$/,
  'addresses: 0x and 40 hex digits each',
)

function accountsFlag(flag: string, help: string) {
  return flagOf(flag, optional(addresses), undefined, help)
}

const TOKENS = requiredFlag('conditional-tokens', address, '', 'Gnosis conditional tokens.')
const FEE_RECEIVER = requiredFlag('fee-receiver', address, '', 'Receives the fees of takers.')
const OPERATORS = accountsFlag('operator', 'Who settles trades; else the key that pays.')
const RESOLVERS = accountsFlag('resolver', 'Who posts payouts; else the key that pays.')
const SHOWN = accountsFlag('operator', 'Accounts whose roles and balance are shown.')

const { rpc: RPC, ...PAYER_SETTINGS } = CHAIN_SETTINGS
const CHAIN = [RPC, SETTINGS.chainId]
const PAYER = Object.values(PAYER_SETTINGS)
const PARTS = [SETTINGS.domainName, SETTINGS.collateralAddress, TOKENS, FEE_RECEIVER]
const COMMANDS: SubCommands = {
  deploy: {
    about: 'Creates the contracts of an exchange; the key that pays owns them.',
    flags: [...CHAIN, ...PAYER, ...PARTS, OPERATORS, RESOLVERS],
  },
  reconcile: {
    about: 'Compares what accounts have in a data folder with what their wallets have.',
    flags: [...OFFLINE_ROWS, ...CHAIN, SETTINGS.exchangeAddress],
  },
  resubmit: {
    about: 'Sends again the transactions of a data folder that wait for a block; signs nothing.',
    flags: [...OFFLINE_ROWS, ...CHAIN],
  },
  status: {
    about: 'Shows the chain, and the contract of --exchange-address.',
    flags: [...CHAIN, SETTINGS.exchangeAddress, SHOWN],
  },
}

function keySource({ given }: Line): KeySource {
  const [source, ...others] = keySourcesOf((row) => readSetting(row, given))
  if (others.length > 0) throw new WrongUse('Give one --chain-key: the key that pays')
  if (source !== undefined) return source
  throw new WrongUse('Give --chain-key or --chain-key-command: the key that pays')
}

/** The address as EIP-55 writes it; a wrong checksum is refused. */
function addressOf(flag: string, text: string): Address {
  const bytes = parseAddress(text)
  if (bytes === undefined) throw new WrongUse(`--${flag}: ${text} has a wrong checksum`)
  return evmAddress(bytes)
}

async function opened({ given }: Line): Promise<ChainClient> {
  await keccakReady
  const all = readSetting(RPC, given)
  if (all === undefined) throw new WrongUse('Give --chain-rpc or OUTCOMEX_CHAIN_RPC: the chain')
  return ChainClient.open({ urls: all, chainId: readSetting(SETTINGS.chainId, given) })
}

async function deploy(line: Line, shell: Shell): Promise<void> {
  const { given } = line
  const chain = await opened(line)
  const key = await openKey(keySource(line))
  const one = (row: typeof TOKENS) => addressOf(row.flag, readSetting(row, given))
  const some = (row: typeof OPERATORS) => {
    const all = readSetting(row, given)
    return all?.map((text) => addressOf(row.flag, text)) ?? [key.address]
  }
  const request = {
    domainName: readSetting(SETTINGS.domainName, given),
    collateral: one(SETTINGS.collateralAddress),
    conditionalTokens: one(TOKENS),
    feeReceiver: one(FEE_RECEIVER),
    operators: some(OPERATORS),
    resolvers: some(RESOLVERS),
  }
  await checkTokens(chain, request)
  const submitter = await Submitter.open(
    {
      chain,
      key,
      confirmations: 1,
      pendingMax: 1,
      repeatMs: REPEAT_MS,
      maxFeeWei: maxFeeWeiOf((row) => readSetting(row, given)),
      // A deployment that ends half way is repeated with new contracts.
      keep: async () => {},
    },
    shell.nowMs(),
  )
  const deployer = deployerOf(submitter, shell)
  const { wallets, adapter, exchange } = await deployExchange(
    deployer,
    await loadContracts(),
    request,
  )
  shell.say(`wallets ${wallets}\nadapter ${adapter}\nexchange ${exchange}`)
}

async function checkTokens(
  chain: ChainClient,
  { collateral, conditionalTokens }: { collateral: Address; conditionalTokens: Address },
): Promise<void> {
  const decimals = await chain.read(collateral, TOKEN_ABI, 'decimals')
  if (decimals !== COLLATERAL_DECIMALS) {
    throw new ChainTrouble(
      `--collateral-address ${collateral} is no ERC-20 token with ${COLLATERAL_DECIMALS} ` +
        `decimals on chain ${chain.chainId}`,
    )
  }
  const isTokens = await chain.read(conditionalTokens, TOKEN_ABI, 'supportsInterface', [ERC1155])
  if (isTokens !== true) {
    throw new ChainTrouble(
      `--conditional-tokens ${conditionalTokens} has no ERC-1155 tokens on chain ${chain.chainId}`,
    )
  }
}

/** Shows each transaction as it is sent: whoever stops the command can look it up. */
function deployerOf(submitter: Submitter, shell: Shell): Deployer {
  const send = async (payload: Payload, what: string): Promise<Receipt> => {
    const { hash, done } = await submitter.submit(payload, shell.nowMs())
    shell.warn(`${what}: transaction ${hash}`)
    let receipt: Receipt | undefined
    void done.then((found) => {
      receipt = found
    })
    const untilMs = shell.nowMs() + PATIENCE_MS
    for (let pollMs = POLL_MS; ; pollMs = Math.min(pollMs * 2, POLL_MS_MAX)) {
      await submitter.tick(shell.nowMs())
      if (receipt !== undefined) break
      if (shell.nowMs() >= untilMs) {
        throw new ChainTrouble(
          `transaction ${hash} is in no block after ${PATIENCE_MS / 1000} s; it may still come: ` +
            'look it up before you repeat anything',
        )
      }
      await pause(pollMs)
    }
    if (receipt.isReverted) throw new ChainTrouble(`transaction ${receipt.hash} reverted`)
    return receipt
  }
  return {
    async create({ abi, bytecode }, args) {
      const { created } = await send({ data: creationOf(abi, bytecode, args) }, 'create')
      if (created === null) throw new ChainTrouble('the chain names no new contract')
      return created
    },
    async call({ abi }, to, name, args) {
      await send({ to, data: callOf(abi, name, args) }, name)
    },
  }
}

async function status(line: Line, shell: Shell): Promise<void> {
  const { given } = line
  const chain = await opened(line)
  const exchange = addressOf('exchange-address', readSetting(SETTINGS.exchangeAddress, given))
  const { number, timestampSec, baseFeeWei } = await chain.block()
  const ageSec = Math.round(shell.nowMs() / 1000) - timestampSec
  shell.say(`chain ${chain.chainId}`)
  shell.say(
    `block ${number}, ${ageSec} s old${ageSec > STALE_SEC ? ': the chain stands still' : ''}`,
  )
  shell.say(`base fee ${Number(baseFeeWei) / WEI_OF_GWEI} gwei`)
  if (!(await chain.isContract(exchange))) {
    throw new ChainTrouble(`${exchange} of --exchange-address is no contract on this chain`)
  }
  const { abi } = (await loadContracts()).Exchange
  shell.say(`exchange ${exchange}`)
  for (const [shown, name] of [
    ['owner', 'owner'],
    ['paused', 'isPaused'],
    ['collateral', 'collateral'],
    ['conditional tokens', 'conditionalTokens'],
    ['adapter', 'adapter'],
    ['wallets', 'wallets'],
    ['fee receiver', 'feeReceiver'],
  ] as const) {
    const value = await chain.read(exchange, abi, name)
    if (value === null) throw new ChainTrouble(`${exchange} is no exchange: it has no ${name}`)
    shell.say(`${shown} ${value}`)
  }
  // It names operators and resolvers of its own, by the same functions.
  const adapter = await chain.readAddress(exchange, abi, 'adapter')
  if (adapter === null) throw new ChainTrouble(`${exchange} names no adapter`)
  for (const text of readSetting(SHOWN, given) ?? []) {
    const account = addressOf('operator', text)
    const roles = async (contract: Address) =>
      [
        (await chain.read(contract, abi, 'isOperator', [account])) ? 'settles' : 'may not settle',
        (await chain.read(contract, abi, 'isResolver', [account])) ? 'resolves' : 'may not resolve',
      ].join(', ')
    const [balanceWei, mined, sent] = await Promise.all([
      chain.balanceWei(account),
      chain.nonceOf(account, 'latest'),
      chain.nonceOf(account, 'pending'),
    ])
    const balance = Number(balanceWei) / 1e18
    shell.say(
      `operator ${account}: ${await roles(exchange)}; in groups ${await roles(adapter)}; ` +
        `balance ${balance}, nonce ${mined}, ${sent - mined} transactions wait`,
    )
  }
}

/** Exits with 1 when a balance differs. */
async function reconcile(line: Line, shell: Shell): Promise<number> {
  const { given } = line
  const { dataDir, keyFile } = folderOf(line)
  const chain = await opened(line)
  const exchange = addressOf('exchange-address', readSetting(SETTINGS.exchangeAddress, given))
  const parts = await exchangeParts(chain, exchange, (await loadContracts()).Exchange.abi)
  let [all, apart] = [0, 0]
  const options = { keyFile, onProgress: progressLines('journal', shell) }
  await readStates(dataDir, ['newest'], options, async ({ clearing }) => {
    const { number } = await chain.block()
    shell.say(`seq ${clearing.lastSeq}, ${clearing.transactions.count} transactions wait`)
    shell.say(`chain ${chain.chainId}, block ${number}`)
    for await (const { wallets, what, ledgerRaw, chainRaw } of compared(chain, parts, clearing)) {
      all++
      if (ledgerRaw === chainRaw) continue
      apart++
      const both = `ledger ${unitsOf(ledgerRaw)}, chain ${unitsOf(chainRaw)}`
      const difference = unitsOf(chainRaw - ledgerRaw)
      shell.say(`${wallets.join(' and ')}, ${what}: ${both}, difference ${difference}`)
    }
  })
  shell.say(`balances ${all}, ${apart} with a difference`)
  return apart === 0 ? EXIT.OK : EXIT.FAILED
}

/** Exits with 1 when the node refused one. */
async function resubmit(line: Line, shell: Shell): Promise<number> {
  const { dataDir, keyFile } = folderOf(line)
  const chain = await opened(line)
  const options = { keyFile, onProgress: progressLines('journal', shell) }
  const counts = { accepted: 0, known: 0, mined: 0, refused: 0 }
  await readStates(dataDir, ['newest'], options, async ({ clearing }) => {
    shell.say(`seq ${clearing.lastSeq}, ${clearing.transactions.count} transactions wait`)
    const accounts = clearing.transactions.capture()
    for await (const { account, nonce, hash, found } of resubmitted(chain, accounts)) {
      counts[found.kind]++
      shell.say(`${account}, nonce ${nonce}, transaction ${hash}: ${foundText(found)}`)
    }
  })
  const { accepted, known, mined, refused } = counts
  shell.say(`${accepted} accepted, ${known} known already, ${mined} in blocks, ${refused} refused`)
  return refused === 0 ? EXIT.OK : EXIT.FAILED
}

export const chainCommand: CommandSpec = {
  commands: COMMANDS,
  isKnown: (error) => error instanceof ChainTrouble || error instanceof DataFolderError,
  async work(line, shell) {
    if (line.name === 'reconcile') return reconcile(line, shell)
    if (line.name === 'resubmit') return resubmit(line, shell)
    await (line.name === 'deploy' ? deploy(line, shell) : status(line, shell))
    return EXIT.OK
  },
}
