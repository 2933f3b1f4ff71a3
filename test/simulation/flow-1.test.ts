import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 30_000)
