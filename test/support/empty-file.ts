// A test file without a test, for the tests of the test runner.
export {}
