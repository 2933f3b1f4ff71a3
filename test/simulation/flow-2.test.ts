import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 100_000)
