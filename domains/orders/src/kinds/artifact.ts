import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, count, declared, namedByUuid, rowStatus, text, texts, uniqueId } from './common.ts';

/** Statuses of an artifact. Only `ready` ones can be read. */
export const artifactStatuses = ['pending', 'partial', 'ready', 'error', 'unknown'] as const;

export type ArtifactStatus = (typeof artifactStatuses)[number];

/** Bytes with a type. The name of the object is the UUID of its URN; the bytes are in the blob store. */
export const artifacts = defineKind({
  ...declared,
  kind: 'Artifact',
  shortNames: ['art'],
  description: 'Bytes with a name and a type, which do not change once they are complete.',
  spec: Type.Object({
    name: text('For people.'),
    mimeType: text('Default: application/octet-stream.'),
    policy: text('The URN of the policy.'),
    collections: texts('The UUIDs of the collections that it is in.'),
    order: text('The UUID of the order that produced it.'),
    creator: text('The user name of who created it.'),
  }),
  status: Type.Object({
    ...rowStatus,
    status: Type.Optional(Type.Enum(artifactStatuses)),
    size: count('The bytes that have arrived.'),
    uploadLength: count('The bytes that are to arrive. Absent while the client has not said.'),
    uploadExpiresAt: text('When an unfinished upload is removed.'),
    digest: text('The SHA-256 of the bytes in hex; where the blob store has them.'),
    errorMessage: text('Why it is unusable.'),
  }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('Type', '.spec.mimeType'),
    { name: 'Size', type: 'integer', jsonPath: '.status.size' },
    column('Status', '.status.status'),
    ageColumn,
  ],
  rules: [namedByUuid],
  uniqueKeys: [uniqueId],
});

export type Artifact = ObjectOf<typeof artifacts>;
