export { blockerTitle as obstacleTitle, pauseLabels, syncLabels } from './status-text.ts'
