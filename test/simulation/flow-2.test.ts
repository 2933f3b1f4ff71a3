import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 40_000)
