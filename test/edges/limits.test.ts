// The tests of limits, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../server/api/orders/limits.test.ts')
