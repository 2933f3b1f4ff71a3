import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 100_000)
