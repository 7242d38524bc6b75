import { type Desired, defineProvider, type KubeObject, type ServiceContext, type SharedContext } from '@chandlery/sdk';
import {
  type Certificate,
  type CertificateConfig,
  type CertificateService,
  certificateConfigs,
  certificateServices,
  certificates,
  copiedSecretName,
  issuerNamespace,
} from './kinds.ts';

const everything = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** The issuer, once for all tenants, with no more rights than it needs. */
function issuer({ config }: SharedContext<CertificateConfig>): readonly Desired[] {
  const metadata = { name: 'issuer', namespace: issuerNamespace };
  const labels = { app: 'certificate-issuer' };
  const roleName = 'certificate-issuer';
  const rbac = 'rbac.authorization.k8s.io';
  const container = { name: 'issuer', image: config.spec.image };
  const objects: KubeObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: issuerNamespace } },
    certificates.crd,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: roleName },
      rules: [
        { apiGroups: [certificates.group], resources: ['certificates', 'certificates/status'], verbs: everything },
        { apiGroups: [''], resources: ['secrets'], verbs: everything },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: roleName },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: roleName },
      subjects: [{ kind: 'ServiceAccount', name: 'issuer', namespace: issuerNamespace }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { serviceAccountName: 'issuer', containers: [container] } },
      },
    },
  ];
  return objects.map(object => ({ cluster: 'workload', object }));
}

/** What one tenant gets: the kind on its control plane, and a namespace for its copies. */
function desired(_object: CertificateService, context: ServiceContext<CertificateConfig>): readonly Desired[] {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: context.instanceNamespace } };
  return [
    { cluster: 'mcp', object: certificates.crd },
    { cluster: 'workload', object: namespace },
  ];
}

export const provider = defineProvider<CertificateService, CertificateConfig>({
  api: certificateServices,
  config: certificateConfigs,
  // What the syncer needs (the kind, its Secrets, namespaces for copies) is added by the SDK.
  clusters: {
    mcp: { permissions: [] },
    workload: {
      per: 'provider',
      permissions: [
        {
          rules: [
            { apiGroups: [''], resources: ['namespaces', 'serviceaccounts'], verbs: everything },
            { apiGroups: ['apps'], resources: ['deployments'], verbs: everything },
            {
              apiGroups: ['rbac.authorization.k8s.io'],
              resources: ['clusterroles', 'clusterrolebindings'],
              verbs: everything,
            },
          ],
        },
      ],
    },
  },
  shared: issuer,
  syncs: [
    {
      kind: certificates,
      related: [
        {
          name: 'tls',
          from: 'workload',
          ref: { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' },
          locate: copy => ({ namespace: copy.metadata.namespace ?? '', name: copiedSecretName(copy) }),
          showAs: source => (source as Certificate).spec.secretName,
        },
      ],
    },
  ],
  service: { desired },
});
