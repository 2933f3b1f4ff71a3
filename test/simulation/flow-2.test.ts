import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 30_000)
