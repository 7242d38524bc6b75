import { setTimeout as sleep } from 'node:timers/promises';
import { commitAnew } from '@chandlery/registry';
import { badRequest, OrdersError } from '../../errors.ts';
import { urnOf } from '../../model/urns.ts';
import type { StagedBlob } from '../../ports.ts';
import { type ArtifactRow, updateRow } from '../../registry/orders-registry.ts';
import type { ActionDeps } from '../action-deps.ts';
import { guardContent, tooLarge } from '../guard-content.ts';
import type { ArtifactContent } from './create-artifact.ts';
import { artifactRow, checkUnfinished } from './find-artifact.ts';

/** Content that goes into an artifact in one piece. */
export const maxBlobPutBytes = 16 * 1024 * 1024;

/** A piece of an upload. */
export interface UploadPiece extends ArtifactContent {
  /** The offset of the piece, according to the client. */
  readonly offset: number;
  /** The length of the whole upload, when the client says so only now. */
  readonly uploadLength: number | undefined;
}

/** Appends a piece to an upload; the last one completes the artifact. */
export function appendPiece(deps: ActionDeps, id: string, piece: UploadPiece): Promise<ArtifactRow> {
  return withUpload(deps, id, async () => {
    const row = artifactRow(deps.registry, id);
    checkUnfinished(row);
    const offset = await deps.uploads.size(id);
    if (piece.offset !== offset) throw offsetMismatch(id, offset);
    const uploadLength = lengthOf(row, piece);
    const maxBytes = (uploadLength ?? deps.settings.artifactMaxBytes) - offset;
    if (maxBytes < 0 || (piece.length ?? 0) > maxBytes) throw tooLarge(Math.max(0, maxBytes));
    const size = await receive(deps, row, { piece, uploadLength, maxBytes, offset });
    return size === uploadLength ? completeUpload(deps, id) : recordProgress(deps, id, { size, uploadLength });
  });
}

interface Receiving {
  readonly piece: UploadPiece;
  readonly uploadLength: number | undefined;
  readonly maxBytes: number;
  readonly offset: number;
}

/** An upload of known length was counted when it began; of one without, each piece is. */
async function receive(
  deps: ActionDeps,
  { id, tenant, status }: ArtifactRow,
  { piece, uploadLength, maxBytes, offset }: Receiving,
): Promise<number> {
  const { budget, uploads } = deps;
  const claimed = Math.max(status.uploadLength ?? 0, status.size ?? 0);
  using reservation = budget.reserve(tenant, Math.max(0, (uploadLength ?? 0) - claimed));
  const reservedBytes = Math.max(claimed, uploadLength ?? 0) - offset;
  try {
    return await uploads.append(id, guardContent(piece.bytes, { maxBytes, reservedBytes, reservation }));
  } catch (failure) {
    await recordProgress(deps, id, { size: await uploads.size(id), uploadLength });
    throw failure;
  }
}

function lengthOf({ status }: ArtifactRow, { uploadLength }: UploadPiece): number | undefined {
  const known = status.uploadLength;
  if (known !== undefined && uploadLength !== undefined && known !== uploadLength)
    throw badRequest(`Upload-Length is ${known} and cannot become ${uploadLength}`);
  return known ?? uploadLength;
}

/** Puts all content of an artifact at once. */
export function putContent(
  deps: ActionDeps,
  id: string,
  content: ArtifactContent & { readonly mimeType: string | undefined },
): Promise<ArtifactRow> {
  const { budget, blobs, uploads } = deps;
  return withUpload(deps, id, async () => {
    const row = artifactRow(deps.registry, id);
    checkUnfinished(row);
    const { uploadLength = 0 } = row.status;
    if ((content.length ?? 0) > maxBlobPutBytes) throw tooLarge(maxBlobPutBytes);
    using reservation = budget.reserve(row.tenant, 0);
    const guard = { maxBytes: maxBlobPutBytes, reservedBytes: uploadLength, reservation };
    await using staged = await blobs.stage(guardContent(content.bytes, guard));
    if (row.status.uploadLength !== undefined && staged.size !== row.status.uploadLength)
      throw badRequest(`The artifact is to have ${row.status.uploadLength} bytes, not ${staged.size}`);
    const { mimeType } = content;
    const completed = await complete(deps, id, staged, mimeType === undefined ? {} : { mimeType });
    await uploads.remove(id);
    return completed;
  });
}

async function completeUpload(deps: ActionDeps, id: string): Promise<ArtifactRow> {
  await using staged = await deps.blobs.stageFile(deps.uploads.pathOf(id));
  return await complete(deps, id, staged);
}

function complete(
  { registry, blobLocks }: ActionDeps,
  id: string,
  staged: StagedBlob,
  { mimeType }: { readonly mimeType?: string } = {},
): Promise<ArtifactRow> {
  const { digest, size } = staged;
  return blobLocks.run(digest, async () => {
    await staged.keep();
    await commitAnew(registry, () => {
      const row = artifactRow(registry, id);
      const { uploadExpiresAt: _, uploadLength: __, ...status } = row.status;
      const spec = { ...row.spec, ...(row.spec.mimeType === undefined && mimeType !== undefined ? { mimeType } : {}) };
      return [updateRow({ table: 'artifacts', row, spec, status: { ...status, status: 'ready', size, digest } })];
    });
    return artifactRow(registry, id);
  });
}

async function recordProgress(
  { registry, settings, clock }: ActionDeps,
  id: string,
  { size, uploadLength }: { readonly size: number; readonly uploadLength: number | undefined },
): Promise<ArtifactRow> {
  const uploadExpiresAt = new Date(clock.now().getTime() + settings.uploadExpiryMs).toISOString();
  await commitAnew(registry, () => {
    const row = artifactRow(registry, id);
    const status = {
      ...row.status,
      status: size === 0 ? ('pending' as const) : ('partial' as const),
      size,
      uploadExpiresAt,
      ...(uploadLength === undefined ? {} : { uploadLength }),
    };
    return [updateRow({ table: 'artifacts', row, status })];
  });
  return artifactRow(registry, id);
}

/** How long a request waits for the one before it, whose connection may just have been cut. */
const maxWaitMs = 2000;
const pollMs = 20;

/** One request at a time may add to an upload. Another one waits for a moment, and is then rejected with `upload-busy`. */
async function withUpload<T>({ recordLocks }: ActionDeps, id: string, work: () => Promise<T>): Promise<T> {
  const urn = urnOf('artifact', id);
  const deadline = performance.now() + maxWaitMs;
  while (recordLocks.isHeld(urn)) {
    if (performance.now() > deadline)
      throw new OrdersError('upload-busy', `Another request is adding to the artifact ${urn}`, { id: urn });
    await sleep(pollMs);
  }
  return recordLocks.run(urn, work);
}

const offsetMismatch = (id: string, offset: number): OrdersError =>
  new OrdersError('offset-mismatch', `The upload has ${offset} bytes: continue from there`, {
    id: urnOf('artifact', id),
    name: 'upload-offset',
    value: offset,
    headers: { 'upload-offset': String(offset) },
  });
