import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 130_000)
