// A test that imports this starts its exchanges with two edge threads, between which connections
// are divided.

process.env.TEST_EDGES ??= '2'
