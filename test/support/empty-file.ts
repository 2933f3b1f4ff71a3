// A test file that holds no test, for the test of those that run them.
export {}
