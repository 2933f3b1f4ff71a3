// The tests of the frames of an account, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../server/api/streams/frame-sequences.test.ts')
