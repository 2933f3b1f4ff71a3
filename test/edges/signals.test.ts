// The tests of signals, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../server/start/signals.test.ts')
