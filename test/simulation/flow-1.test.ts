import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 50_000)
