import { testLongFlow } from './long-flow.ts'

testLongFlow(3, 260_000)
