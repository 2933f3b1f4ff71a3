// The tests of the limits of sockets, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../hostile/socket-bounds.test.ts')
