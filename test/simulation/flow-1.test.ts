import { testLongFlow } from './long-flow.ts'

testLongFlow(1, 150_000)
