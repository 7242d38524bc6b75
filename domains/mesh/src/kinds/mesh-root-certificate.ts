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
  description: 'A root of trust of the mesh: it signs the certificates that authenticate workloads and proxies.',
  spec: Type.Object({
    role: Type.Enum(['active', 'passive', 'inactive'], {
      default: 'inactive',
      description: 'active: signs and is trusted. passive: is trusted. inactive: neither.',
      'x-kubernetes-validations': [noLeap],
    }),
    trustDomain: Type.String({
      pattern: '^[a-z0-9._-]{1,255}$',
      default: 'cluster.local',
      description: 'The first part of every identity that it certifies.',
      ...immutable,
    }),
    validityDays: Type.Integer({
      minimum: 1,
      maximum: 36500,
      default: 3650,
      description: 'Validity in days.',
      ...immutable,
    }),
    replaces: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The root that it replaces, step by step, as proxies follow. The old one is deleted last.',
        ...immutable,
      }),
    ),
  }),
  status: Type.Object({
    ...commonStatus,
    certificate: Type.Optional(Type.String({ description: 'PEM.' })),
    fingerprint: Type.Optional(Type.String({ description: 'SHA-256 of the certificate, hexadecimal.' })),
    notAfter: Type.Optional(Type.String({ description: 'When it expires.' })),
    rotation: Type.Optional(
      Type.Object(
        {
          step: Type.String({ description: 'The next step.' }),
          since: Type.String({ description: 'Since when the step waits.' }),
          followedSince: Type.Optional(Type.String({ description: 'Since when no proxy is waited for.' })),
          waitingFor: Type.Array(Type.String(), { description: 'Proxies that have not followed yet.' }),
        },
        { description: 'Progress of the rotation.' },
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
