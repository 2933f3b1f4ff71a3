import { testLongFlow } from './long-flow.ts'

testLongFlow(20_000)
