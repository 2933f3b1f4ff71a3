import { testLives } from './long-flow.ts'

testLives(5, 2500)
