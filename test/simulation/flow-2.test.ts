import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 20_000)
