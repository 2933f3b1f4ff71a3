import '../support/on-anvil.ts'
import { test } from 'node:test'
import { anvilSkip } from '../support/anvil.ts'

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

// They read the variable when they are loaded, so no import may come before.
if (anvilSkip === false) {
  await import('./public-client.test.ts')
  await import('./public-client-orders.test.ts')
  await import('./public-sockets.test.ts')
  await import('./partner-client.test.ts')
  await import('./public-samples.test.ts')
  await import('./trading-mode.test.ts')
  await import('./client-types.test.ts')
} else test('the walks of the public client', { skip: anvilSkip })
