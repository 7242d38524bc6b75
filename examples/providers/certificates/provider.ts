import {
  allRightsOn,
  type Desired,
  defineProvider,
  deploymentOf,
  type KubeObject,
  namespaceOf,
  type ServiceContext,
  type SharedContext,
} from '@chandlery/sdk';
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

const rbac = 'rbac.authorization.k8s.io';

/** The issuer, once for all tenants, with no more rights than it needs. */
function issuer({ config }: SharedContext<CertificateConfig>): readonly Desired[] {
  const account = { name: 'issuer', namespace: issuerNamespace };
  const role = 'certificate-issuer';
  const rules = [allRightsOn(certificates.group, 'certificates', 'certificates/status'), allRightsOn('', 'secrets')];
  const objects: KubeObject[] = [
    namespaceOf(issuerNamespace),
    certificates.crd,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: role }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
    deploymentOf({
      ...account,
      app: role,
      container: { image: config.spec.image },
      pod: { serviceAccountName: account.name },
    }),
  ];
  return objects.map(object => ({ cluster: 'workload', object }));
}

/** What one tenant gets: the kind on its control plane, and a namespace for its copies. */
function desired(_object: CertificateService, context: ServiceContext<CertificateConfig>): readonly Desired[] {
  return [
    { cluster: 'mcp', object: certificates.crd },
    { cluster: 'workload', object: namespaceOf(context.instanceNamespace) },
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
            allRightsOn('', 'namespaces', 'serviceaccounts'),
            allRightsOn('apps', 'deployments'),
            allRightsOn(rbac, 'clusterroles', 'clusterrolebindings'),
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
