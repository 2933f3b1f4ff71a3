// The tests of the frames of settled trades, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../server/api/streams/settlement.test.ts')
