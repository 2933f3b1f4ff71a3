// The tests of slow readers, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../hostile/slow-readers.test.ts')
