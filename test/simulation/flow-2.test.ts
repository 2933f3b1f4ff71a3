import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 50_000)
