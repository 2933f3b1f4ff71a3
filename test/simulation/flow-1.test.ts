import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 40_000)
