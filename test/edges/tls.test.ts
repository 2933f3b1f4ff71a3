// The tests of certificates, with connections on two edge threads.

process.env.TEST_EDGES = '2'
await import('../server/start/tls.test.ts')
