import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 260_000)
