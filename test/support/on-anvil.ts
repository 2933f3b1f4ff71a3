import { test } from 'node:test'
import { anvilSkip } from './anvil.ts'

// The walks of the public client on an exchange whose traders hold their funds in wallets on a
// local chain. Each ends with wallets that hold what the ledger says. LEFT_OUT of funds.ts has the
// steps that no such exchange takes, and the reasons. Left out as a whole:
//
// | file | because |
// |---|---|
// | amm-client | pools do not settle on a chain |
// | asyncapi-client, bots, demo-*, openapi-client, overload | they need the demo |
// | public-pages, generated-clients | no funds move |
// | faults, overload-*, soak*, threads | they test the process; crash/chain.test.ts has faults |
//
// What owners do with their wallets is in settlement/evm/wallet-funds.test.ts.

/**
 * Runs a file of test/conformance again, on a chain. One call in a file: node:test ends the
 * exchange of a file while it still imports the next one.
 */
export async function onAnvil(file: string): Promise<void> {
  if (anvilSkip !== false) {
    test(`${file} on a chain`, { skip: anvilSkip })
    return
  }
  // Read when the file is loaded.
  process.env.TEST_FUNDS = 'anvil'
  await import(`../conformance/${file}.test.ts`)
}
