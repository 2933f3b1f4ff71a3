import { testLongFlow } from './long-flow.ts'

testLongFlow(3, 150_000)
