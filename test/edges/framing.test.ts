// The tests of framing, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../hostile/framing.test.ts')
