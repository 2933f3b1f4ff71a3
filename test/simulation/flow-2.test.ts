import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 130_000)
