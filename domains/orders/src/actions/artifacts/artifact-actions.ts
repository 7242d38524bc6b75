import { commitAnew } from '@chandlery/registry';
import { OrdersError } from '../../errors.ts';
import { urnOf } from '../../model/urns.ts';
import type { ByteRange } from '../../ports.ts';
import { type ArtifactRow, removeRow } from '../../registry/orders-registry.ts';
import type { ActionDeps, Actor } from '../action-deps.ts';
import { type ArtifactContent, createPending, createWithContent, type NewArtifact } from './create-artifact.ts';
import { appendPiece, putContent, type UploadPiece } from './upload-content.ts';

/** Use cases of artifacts. Blobs that nothing refers to any more are removed by `controllers/blobs`. */
export const artifactActions = (deps: ActionDeps) => ({
  createWithContent: (actor: Actor, artifact: NewArtifact, content: ArtifactContent): Promise<ArtifactRow> =>
    createWithContent(deps, actor, { artifact, content }),

  createPending: (actor: Actor, artifact: NewArtifact, uploadLength: number | undefined): Promise<ArtifactRow> =>
    createPending(deps, actor, { artifact, uploadLength }),

  appendPiece: (id: string, piece: UploadPiece): Promise<ArtifactRow> => appendPiece(deps, id, piece),

  putContent: (id: string, content: ArtifactContent & { readonly mimeType: string | undefined }) =>
    putContent(deps, id, content),

  /** The bytes that have arrived. */
  offset: (row: ArtifactRow): Promise<number> =>
    row.status.status === 'ready' ? Promise.resolve(row.status.size ?? 0) : deps.uploads.size(row.id),

  /** The bytes of a complete artifact. Throws `artifact-not-ready`. */
  read: (row: ArtifactRow, range?: ByteRange): AsyncIterable<Uint8Array> => deps.blobs.read(digestOf(row), range),

  /** Removes an artifact and, when it was the last with these bytes, the bytes. Throws `conflict` for one that a site is made of. */
  remove: async ({ id }: ArtifactRow): Promise<void> => {
    await commitAnew(deps.registry, () => {
      const row = deps.registry.artifacts.get(id);
      checkUnserved(deps, id);
      return row === undefined ? [] : [removeRow('artifacts', row)];
    });
  },
});

function checkUnserved({ registry }: Pick<ActionDeps, 'registry'>, id: string): void {
  const urn = urnOf('artifact', id);
  const tenant = registry.artifacts.get(id)?.tenant;
  const site = [...registry.services.by('siteArtifact', urn)].find(row => row.tenant === tenant);
  if (site === undefined) return;
  const service = urnOf('service', site.id);
  throw new OrdersError('conflict', `The service ${service} serves the artifact ${urn}`, { id: urn });
}

/** The digest of a complete artifact. Throws `artifact-not-ready`. */
export function digestOf({ id, status }: ArtifactRow): string {
  if (status.status === 'ready' && status.digest !== undefined) return status.digest;
  const urn = urnOf('artifact', id);
  throw new OrdersError('artifact-not-ready', `The artifact ${urn} is ${status.status ?? 'unknown'}, not ready`, {
    id: urn,
  });
}
