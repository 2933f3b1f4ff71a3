import { readFileSync, statSync } from 'node:fs'
import { codeOf } from '../../engine/domain/error-code.ts'
import { BrokenProof, checkProof } from '../../persistence/solvency/proof-check.ts'
import type { BalanceView, ProofView } from '../../persistence/solvency/proof-view.ts'
import type { CollateralPlace } from '../../persistence/solvency/solvency-format.ts'
import { proofReply } from '../api/solvency/solvency.ts'
import type { CommandSpec, Line } from '../command-line.ts'
import { compile } from '../edge/http/schema/schema.ts'
import { flagOf, type Kind, readSetting } from '../settings/flags.ts'
import { EXIT, Failure, oneLine, type Shell } from '../shell.ts'
import { unitsOf } from './decimals.ts'

// Checks a proof of solvency offline: a reply of GET /solvency/proof in a file (rules §14).

/** A whole page of fifty balances is a tenth of it. */
const FILE_BYTES_MAX = 8 << 20

const HEX: Kind<string | undefined> = {
  shape: 'HEX',
  wants: '64 hex digits',
  read: (text) => (/^(0x)?[0-9a-fA-F]{64}$/.test(text) ? text.slice(-64).toLowerCase() : undefined),
}

const ROOT = flagOf(
  'root',
  HEX,
  undefined,
  'The root that the proof must have: that of GET /solvency, as others see it.',
)

function textOf(path: string): string {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) throw new Failure(`${path} is too large for a proof.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${path} cannot be read: ${codeOf(error)}`)
  }
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(textOf(path))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${path} is not JSON.`)
  }
}

function proofIn(path: string): ProofView {
  const reply = jsonOf(path)
  const shape = compile(proofReply())
  if (!shape.holds(reply)) {
    const [first] = shape.issues(reply)
    const what = first === undefined ? '' : ` (${first.field} ${first.message})`
    throw new Failure(`${path} is no reply of GET /solvency/proof${what}.`)
  }
  return reply.proof
}

function balanceLine({ token, balanceRaw, market }: BalanceView): string {
  const amount = unitsOf(BigInt(balanceRaw))
  if (market === null) return `  ${amount} collateral`
  const { id, conditionId, payoutNumerators } = market
  const state = payoutNumerators === null ? 'a unit inside for each pair' : 'paid out'
  return `  ${amount} ${token.toUpperCase()} of market ${id}, condition ${conditionId}: ${state}`
}

const NOT_PROVEN =
  'Not proven: that the assets exist, that debts will be paid, that no balance is missing here.'
const ON_CHAIN =
  'The chain shows the assets: read the balances of your wallet at that block; trades that wait ' +
  'for a block are not in them.'

function placeLines(place: CollateralPlace): string[] {
  const { chainId, block, blockHash } = place
  const { collateralAddress, conditionalTokensAddress, exchangeAddress } = place
  return [
    `chain ${chainId}: collateral ${collateralAddress}`,
    `conditional tokens ${conditionalTokensAddress}, exchange ${exchangeAddress}`,
    `wallets as of block ${block} ${blockHash}`,
  ]
}

function linesOf({ snapshot, account, balances }: ProofView, root: string | null): string[] {
  const units = (raw: string) => unitsOf(BigInt(raw))
  const owed = `${units(snapshot.debtsRaw)} debts, ${units(snapshot.advancedRaw)} paid in advance`
  const { chain } = snapshot
  const compared =
    root === null
      ? 'Compare the root with that of GET /solvency, as somebody else sees it.'
      : 'The root is the one that was given.'
  return [
    `root ${snapshot.root}`,
    `seq ${snapshot.seq}, ${snapshot.at}, state ${snapshot.stateHash}`,
    `assets ${units(snapshot.assetsRaw)}; owed to the exchange: ${owed}`,
    `obligations ${units(snapshot.obligationsRaw)}, difference ${units(snapshot.differenceRaw)}`,
    ...(chain === undefined ? [] : placeLines(chain)),
    `account ${account}`,
    ...balances.map(balanceLine),
    `The proof holds: ${balances.length} balances are counted in these obligations.`,
    compared,
    chain === undefined ? NOT_PROVEN : `${NOT_PROVEN} ${ON_CHAIN}`,
  ]
}

async function work({ given, words }: Line, shell: Shell): Promise<number> {
  const root = readSetting(ROOT, given) ?? null
  const proof = proofIn(words[0])
  try {
    checkProof(proof, root)
  } catch (error) {
    if (error instanceof BrokenProof) throw new Failure(`The proof does not hold. ${error.message}`)
    throw error
  }
  shell.say(linesOf(proof, root).map(oneLine).join('\n'))
  return EXIT.OK
}

export const verifyProofCommand: CommandSpec = {
  flags: [ROOT],
  words: [{ shape: '<FILE>', about: 'The reply, as it came.' }],
  notes: 'It needs no server.',
  work,
}
