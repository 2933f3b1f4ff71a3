import { testLives } from './long-flow.ts'

testLives(800)
