import { type FileHandle, open, rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, toError } from '@chandlery/api';
import type { Output } from '../command.ts';
import type { ByteProgress } from '../output/byte-progress.ts';
import { type ArtifactRecord, isPassing, maxAttempts, retryPauseMs } from './artifacts.ts';
import type { OrdersClient } from './orders-client.ts';

/** Writes the bytes of an artifact to an output as they come. */
export async function downloadTo(client: OrdersClient, { id }: ArtifactRecord, output: Output): Promise<void> {
  const { body } = await client.send(['artifacts', id, 'blob']);
  for await (const bytes of body) output.write(bytes);
}

/** Where an artifact is written to, and how far it is. */
export interface Download {
  readonly path: string;
  readonly progress: (total: number) => ByteProgress;
}

/**
 * Writes an artifact to a file, which is there only when it is complete. What came before a cut is kept beside it and
 * continued by the next call. Rejects with `DownloadCut`.
 */
export async function downloadFile(
  client: OrdersClient,
  artifact: ArtifactRecord,
  { path, progress: open }: Download,
): Promise<void> {
  const { id, size = 0 } = artifact;
  const part = `${path}.${id.split(':').at(-1)}.part`;
  const progress = open(size);
  try {
    await fill(client, artifact, { part, progress });
  } catch (thrown) {
    throw isPassing(thrown) ? cut(thrown, path, id) : thrown;
  } finally {
    progress.end();
  }
  await rename(part, path);
}

async function fill(
  client: OrdersClient,
  { id, size = 0 }: ArtifactRecord,
  { part, progress }: { readonly part: string; readonly progress: ByteProgress },
): Promise<void> {
  await using file = await openPart(part);
  let { size: offset } = await file.stat();
  for (let failed = 0; offset < size; ) {
    const before = offset;
    try {
      const headers = { range: `bytes=${offset}-` };
      const { body } = await client.send(['artifacts', id, 'blob'], { headers });
      for await (const bytes of body) {
        await file.write(bytes, 0, bytes.length, offset);
        offset += bytes.length;
        progress.report(offset);
      }
      if (offset === before) throw new ChandleryError('UnexpectedAnswer', 'the landscape sent no bytes');
    } catch (thrown) {
      failed = offset > before ? 1 : failed + 1;
      if (!isPassing(thrown) || failed >= maxAttempts) throw thrown;
      await sleep(retryPauseMs(failed));
    }
  }
}

/** Keeps what is there. */
const openPart = (path: string): Promise<FileHandle> =>
  open(path, 'r+').catch(() =>
    open(path, 'w+').catch((cause: unknown) => {
      throw new ChandleryError('CannotWrite', `cannot write the file ${path}`, { hint: 'Is the folder there?', cause });
    }),
  );

const cut = (thrown: unknown, path: string, urn: string): ChandleryError =>
  new ChandleryError('DownloadCut', `the download was cut: ${toError(thrown).message}`, {
    hint: `Continue it with "npx chandlery artifact get ${urn} --file ${path}".`,
    cause: thrown,
  });
