import { testLongFlow } from './long-flow.ts'

testLongFlow(4, 260_000)
