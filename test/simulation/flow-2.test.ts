import { testLongFlow } from './long-flow.ts'

testLongFlow(2, 150_000)
