import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, toError } from '@chandlery/api';
import type { ByteProgress } from '../output/byte-progress.ts';
import { type ArtifactRecord, isPassing, maxAttempts, retryPauseMs } from './artifacts.ts';
import type { OrdersClient } from './orders-client.ts';

/** Larger files are uploaded in pieces, so that a cut connection costs one of them. */
export const maxWholeBytes = 16 * 1024 * 1024;

const pieceBytes = 8 * 1024 * 1024;
const pieceTimeoutMs = 300_000;
const tus = { 'tus-resumable': '1.0.0' } as const;

/** What is uploaded. */
export interface Upload {
  readonly path: string;
  /** Headers of the artifact: name, type, collection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly progress: (total: number) => ByteProgress;
  /** Gets the URN of an upload in pieces before the first one. */
  readonly onBegin: (urn: string) => void;
  /** The URN of an upload that was cut, to be continued. Default: a new one. */
  readonly resume?: string | undefined;
}

/** Uploads a file: whole when it is small, otherwise in pieces (TUS). Rejects with `UploadCut` when that can be continued. */
export async function uploadFile(client: OrdersClient, upload: Upload): Promise<ArtifactRecord> {
  await using file = await openFile(upload.path);
  const { size } = await file.stat();
  if (upload.resume === undefined && size <= maxWholeBytes) return await uploadWhole(client, file, upload);
  const urn = upload.resume ?? (await begin(client, upload, size));
  const progress = upload.progress(size);
  try {
    await uploadPieces(client, { file, size, urn, progress });
  } catch (thrown) {
    throw isPassing(thrown) ? cut(thrown, upload.path, urn) : thrown;
  } finally {
    progress.end();
  }
  return await client.ask<ArtifactRecord>(['artifacts', urn]);
}

const openFile = (path: string): Promise<FileHandle> =>
  open(path).catch((cause: unknown) => {
    throw new ChandleryError('NotFound', `cannot read the file ${path}`, { hint: 'Is the name right?', cause });
  });

async function uploadWhole(client: OrdersClient, file: FileHandle, upload: Upload): Promise<ArtifactRecord> {
  const body = await file.readFile();
  return await client.ask<ArtifactRecord>(['artifacts'], {
    method: 'POST',
    timeoutMs: pieceTimeoutMs,
    // Without it an empty body would begin an upload.
    headers: {
      ...upload.headers,
      'content-type': upload.contentType,
      ...(body.length === 0 && { 'upload-length': '0' }),
    },
    body,
  });
}

async function begin(client: OrdersClient, { headers, contentType, onBegin }: Upload, size: number): Promise<string> {
  const { id } = await client.ask<ArtifactRecord>(['artifacts'], {
    method: 'POST',
    headers: { ...tus, ...headers, 'x-content-type': contentType, 'upload-length': String(size) },
  });
  onBegin(id);
  return id;
}

interface Transfer {
  readonly file: FileHandle;
  readonly size: number;
  readonly urn: string;
  readonly progress: ByteProgress;
}

async function uploadPieces(client: OrdersClient, transfer: Transfer): Promise<void> {
  const { size, progress } = transfer;
  let offset = await offsetOf(client, transfer);
  for (let failed = 0; offset < size; ) {
    progress.report(offset);
    try {
      offset = await uploadPiece(client, transfer, offset);
      failed = 0;
    } catch (thrown) {
      if (!isPassing(thrown) || ++failed >= maxAttempts) throw thrown;
      await sleep(retryPauseMs(failed));
      offset = await offsetOf(client, transfer).catch(() => offset);
    }
  }
  progress.report(size);
}

async function uploadPiece(client: OrdersClient, { file, size, urn }: Transfer, offset: number): Promise<number> {
  const length = Math.min(pieceBytes, size - offset);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), length, position: offset });
  if (bytesRead === 0) throw new ChandleryError('FileChanged', 'the file became shorter while it was read');
  const response = await client.send(['artifacts', urn, 'blob'], {
    method: 'PATCH',
    timeoutMs: pieceTimeoutMs,
    headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
    body: buffer.subarray(0, bytesRead),
  });
  await response.text();
  return Number(response.headers['upload-offset'] ?? offset + bytesRead);
}

/** How far an upload is. Rejects with `OtherFile` when it is one of another size. */
async function offsetOf(client: OrdersClient, { urn, size }: Transfer): Promise<number> {
  const response = await client.send(['artifacts', urn, 'blob'], { method: 'HEAD', headers: tus });
  await response.text();
  const { 'upload-length': length, 'upload-offset': offset = '0' } = response.headers;
  if (length === undefined || Number(length) === size) return Number(offset);
  throw new ChandleryError('OtherFile', `the upload ${urn} is of ${length} bytes, and the file has ${size}`, {
    hint: 'Give the file whose upload was cut, or leave out --resume.',
  });
}

const cut = (thrown: unknown, path: string, urn: string): ChandleryError =>
  new ChandleryError('UploadCut', `the upload was cut: ${toError(thrown).message}`, {
    hint: `Continue it with "npx chandlery artifact put ${path} --resume ${urn}".`,
    cause: thrown,
  });
