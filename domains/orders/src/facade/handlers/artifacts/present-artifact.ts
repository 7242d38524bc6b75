import { withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import { accountUrn, openPolicy, urnOf } from '../../../model/urns.ts';
import type { Version } from '../../../registry/orders-registry.ts';
import type { Call } from '../call.ts';
import { hrefOf, link } from '../links.ts';

type Artifact = Version<'artifacts'>;

/** The type of artifacts whose author names none. */
export const defaultMimeType = 'application/octet-stream';

export const artifactColumns = columnsOf<Artifact>({
  text: {
    id: ({ id }) => urnOf('artifact', id),
    name: ({ spec }) => spec.name,
    'mime-type': ({ spec }) => spec.mimeType ?? defaultMimeType,
    status: ({ status }) => status.status,
    policy: ({ spec }) => spec.policy,
    account: ({ tenant }) => accountUrn(tenant),
    collection: ({ spec }) => spec.collections?.map(id => urnOf('collection', id)),
    order: ({ spec }) => spec.order && urnOf('order', spec.order),
    etag: ({ status }) => status.digest,
  },
  time: {
    'created-at': ({ createdAt }) => createdAt,
    'last-modified-at': ({ updatedAt }) => updatedAt,
  },
  number: { size: ({ status }) => status.size },
});

/** The address of an artifact's bytes. */
export const blobHref = (call: Call, id: string): string => `${hrefOf(call, 'artifact', id)}/blob`;

/** An artifact as a record. */
export function presentArtifact(artifact: Artifact, call: Call): object {
  const { id, tenant, spec, status } = artifact;
  return withoutUndefined({
    ...presentArtifactItem(artifact, call),
    href: undefined,
    account: accountUrn(tenant),
    policy: spec.policy ?? openPolicy.artifact,
    'last-modified-at': artifact.updatedAt,
    etag: status.digest,
    'data-href': blobHref(call, id),
    collections: spec.collections?.map(collection => urnOf('collection', collection)),
    order: spec.order && urnOf('order', spec.order),
    'upload-length': status.uploadLength,
    'upload-expires-at': status.uploadExpiresAt,
    'error-message': status.errorMessage,
    links: [
      link('self', hrefOf(call, 'artifact', id)),
      { rel: 'data', type: spec.mimeType ?? defaultMimeType, href: blobHref(call, id) },
    ],
  });
}

/** An artifact in a list, and as a product of an order. */
export const presentArtifactItem = ({ id, createdAt, spec, status }: Artifact, call: Call): object =>
  withoutUndefined({
    id: urnOf('artifact', id),
    href: hrefOf(call, 'artifact', id),
    name: spec.name,
    status: status.status ?? 'unknown',
    size: status.size,
    'mime-type': spec.mimeType ?? defaultMimeType,
    'created-at': createdAt,
    'data-href': status.status === 'ready' ? blobHref(call, id) : undefined,
  });
