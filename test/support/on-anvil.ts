// In a test that imports this, wallets on a local chain hold the funds of traders.

process.env.TEST_FUNDS ??= 'anvil'
