// A thread that makes the pictures of documents, one after the other.
import { parentPort } from 'node:worker_threads'
import { type Picture, type PictureLimits, type PictureProblem, scalePicture } from './scale-picture.ts'

/** A picture to scale. */
export interface PictureRequest {
  readonly bytes: Uint8Array
  readonly limits: PictureLimits
}

export type PictureAnswer = Picture | PictureProblem

parentPort?.on('message', ({ bytes, limits }: PictureRequest) => {
  const answer: PictureAnswer = scalePicture(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), limits)
  parentPort?.postMessage(answer)
})
