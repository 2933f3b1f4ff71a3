import { testLives } from './long-flow.ts'

testLives(3, 800)
