import { commonStatus, defineKind, immutable, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/** active: signs and is trusted; passive: is trusted; inactive: neither. */
export type RootRole = 'active' | 'passive' | 'inactive';

const noLeap = {
  rule: "self == oldSelf || self == 'passive' || oldSelf == 'passive'",
  message: 'a root becomes passive on its way between active and inactive',
};

/** The roots of trust of the mesh. Their keys are in Secrets, see `rootSecretName`. */
export const meshRootCertificates = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MeshRootCertificate',
  shortNames: ['mrc'],
  scope: 'Cluster',
  servedIn: ['platform'],
  description: 'A root of trust of the mesh: it signs the certificates by which workloads and proxies know each other.',
  spec: Type.Object({
    role: Type.Enum(['active', 'passive', 'inactive'], {
      default: 'inactive',
      description: 'active: signs and is believed. passive: is believed. inactive: neither.',
      'x-kubernetes-validations': [noLeap],
    }),
    trustDomain: Type.String({
      pattern: '^[a-z0-9._-]{1,255}$',
      default: 'cluster.local',
      description: 'The first part of every identity that it vouches for.',
      ...immutable,
    }),
    validityDays: Type.Integer({
      minimum: 1,
      maximum: 36500,
      default: 3650,
      description: 'How long it lasts.',
      ...immutable,
    }),
    replaces: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The root that it takes the place of, step by step, as proxies follow. The old one is deleted last.',
        ...immutable,
      }),
    ),
  }),
  status: Type.Object({
    ...commonStatus,
    certificate: Type.Optional(Type.String({ description: 'PEM.' })),
    fingerprint: Type.Optional(Type.String({ description: 'SHA-256 of the certificate, hexadecimal.' })),
    notAfter: Type.Optional(Type.String({ description: 'When it ends.' })),
    rotation: Type.Optional(
      Type.Object(
        {
          step: Type.String({ description: 'What is to be done next.' }),
          since: Type.String({ description: 'Since when it is being waited for.' }),
          followedSince: Type.Optional(Type.String({ description: 'Since when nobody is waited for any more.' })),
          waitingFor: Type.Array(Type.String(), { description: 'Proxies that have not followed yet.' }),
        },
        { description: 'How far the exchange of the old root has come.' },
      ),
    ),
  }),
  columns: [
    { name: 'Role', type: 'string', jsonPath: '.spec.role' },
    { name: 'Trust Domain', type: 'string', jsonPath: '.spec.trustDomain' },
    { name: 'Replaces', type: 'string', jsonPath: '.spec.replaces' },
    { name: 'Step', type: 'string', jsonPath: '.status.rotation.step' },
    { name: 'Ends', type: 'string', jsonPath: '.status.notAfter', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type MeshRootCertificate = ObjectOf<typeof meshRootCertificates>;
