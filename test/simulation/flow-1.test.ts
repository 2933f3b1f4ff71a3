import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 260_000)
