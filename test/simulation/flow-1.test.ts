import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 20_000)
