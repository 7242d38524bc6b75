import { commonStatus, defineKind, defineProviderConfig, defineService, type ObjectOf, Type } from '@chandlery/sdk';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dnsName = `${label}(\\.${label})*`;
const group = 'certificates.services.open-control-plane.io';

/** What a tenant asks for, on the onboarding cluster, with the name of a control plane. */
export const certificateServices = defineService({
  group,
  version: 'v1alpha1',
  kind: 'CertificateService',
  shortNames: ['certsvc'],
  description: 'Lets a control plane use Certificates.',
  spec: Type.Object({}),
});
export type CertificateService = ObjectOf<typeof certificateServices>;

/** What the platform runs for all tenants together. */
export const certificateConfigs = defineProviderConfig({
  group,
  version: 'v1alpha1',
  description: 'Which issuer works for all tenants.',
  spec: Type.Object({ image: Type.String({ minLength: 1, description: 'The image of the issuer.' }) }),
});
export type CertificateConfig = ObjectOf<typeof certificateConfigs>;

/** What a tenant works with on its own control plane. The issuer sees only a copy, on the workload cluster. */
export const certificates = defineKind({
  group: 'certificates.example.com',
  version: 'v1',
  kind: 'Certificate',
  shortNames: ['cert'],
  description: 'A certificate, and the Secret in which it is kept with its key.',
  spec: Type.Object({
    secretName: Type.String({
      maxLength: 253,
      pattern: `^${dnsName}$`,
      description: 'The Secret, of type kubernetes.io/tls.',
    }),
    dnsNames: Type.Array(Type.String({ maxLength: 253, pattern: `^(\\*\\.)?${dnsName}$` }), {
      minItems: 1,
      maxItems: 50,
      description: 'For which names.',
    }),
    validDays: Type.Integer({ default: 90, minimum: 1, maximum: 825, description: 'For how long.' }),
  }),
  status: Type.Object({
    ...commonStatus,
    serialNumber: Type.Optional(Type.String({ description: 'Of the certificate.' })),
    notAfter: Type.Optional(Type.String({ format: 'date-time', description: 'When it ends.' })),
  }),
  columns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Secret', type: 'string', jsonPath: '.spec.secretName' },
    { name: 'Until', type: 'string', jsonPath: '.status.notAfter' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
export type Certificate = ObjectOf<typeof certificates>;

/** Where the issuer runs on the workload cluster. */
export const issuerNamespace = 'certificate-issuer';

/** The name of the Secret beside the copy: tenants choose names within their own control plane only. */
export const copiedSecretName = (certificate: { readonly metadata: { readonly name?: string } }): string =>
  `${certificate.metadata.name}-tls`;
