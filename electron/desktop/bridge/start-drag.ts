import { nativeImage, type WebContents } from 'electron'
import { join } from 'node:path'
import type { CallOutput } from '../../../shared/contract.ts'
import type { Answer } from '../../../shared/envelope.ts'
import { productFolder } from '../../app/static-files/page-files.ts'
import type { Bridge } from '../../app/api/create-api.ts'

/** Drags an archived file by its id out of the window; `assetId` is parsed by the contract. Nothing happens where there is none. */
export async function startDrag(bridge: Bridge, contents: WebContents, assetId: unknown): Promise<void> {
  const answer = (await bridge.call('files.locate', { assetId })) as Answer<CallOutput<'files.locate'>>
  if (!answer.ok || contents.isDestroyed()) return
  const icon = nativeImage.createFromPath(join(productFolder(), 'resources', 'icons', '64x64.png'))
  contents.startDrag({ file: answer.value.path, icon })
}
