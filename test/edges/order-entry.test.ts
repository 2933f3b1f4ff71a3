// The tests of orders, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../server/api/orders/order-entry.test.ts')
