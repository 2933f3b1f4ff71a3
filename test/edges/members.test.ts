// The tests of members of account channels, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../hostile/members.test.ts')
