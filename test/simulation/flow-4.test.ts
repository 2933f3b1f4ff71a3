import { testLongFlow } from './long-flow.ts'

testLongFlow(4, 150_000)
