import type { KubeObject } from '@chandlery/api';
import { systemNamespace } from '@chandlery/clusters/kinds';
import type { DesiredObject } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { type Rights, tenantNamespaceRules } from './access-rules.ts';
import type { ProviderClass } from './provider-class.ts';
import { annotationsOf, labelsOf, namesOf, operatorLabel, type ProviderPart } from './provider-names.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const rbac = `${rbacGroup}/v1`;

/** Bound in the namespace of each control plane to all accounts of the system namespace. */
export const tenantNamespaceRole = 'chandlery:provider-in-tenant-namespace';

/** The account of a part of a provider with exactly the given rights: account, roles and bindings. */
export function buildAccess(
  providerClass: ProviderClass,
  provider: Provider,
  { part, rights }: { readonly part: ProviderPart; readonly rights: Rights },
): readonly DesiredObject[] {
  const { name = '' } = provider.metadata;
  const names = namesOf(providerClass, name);
  const account = part === 'init-job' ? names.init : names.run;
  const metadata = { labels: labelsOf(providerClass, name, part), annotations: annotationsOf(provider) };
  const here = { ...metadata, name: account, namespace: systemNamespace };
  const everywhere = { ...metadata, name: `chandlery:${account}` };
  return [
    { plural: 'serviceaccounts', object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: here } },
    { plural: 'clusterroles', object: role('ClusterRole', everywhere, rights.everywhere) },
    { plural: 'clusterrolebindings', object: binding('ClusterRole', everywhere, account) },
    { plural: 'roles', object: role('Role', here, rights.inSystemNamespace) },
    { plural: 'rolebindings', object: binding('Role', here, account) },
  ];
}

/** The role of providers in namespaces of control planes. */
export const buildTenantNamespaceRole = (): DesiredObject => ({
  plural: 'clusterroles',
  object: role(
    'ClusterRole',
    { name: tenantNamespaceRole, labels: { [operatorLabel.key]: operatorLabel.value } },
    tenantNamespaceRules,
  ),
});

const role = (
  kind: 'Role' | 'ClusterRole',
  metadata: KubeObject['metadata'],
  rules: Rights['everywhere'],
): KubeObject => ({
  apiVersion: rbac,
  kind,
  metadata,
  rules,
});

const binding = (kind: 'Role' | 'ClusterRole', metadata: KubeObject['metadata'], account: string): KubeObject => ({
  apiVersion: rbac,
  kind: `${kind}Binding`,
  metadata,
  roleRef: { apiGroup: rbacGroup, kind, name: metadata.name },
  subjects: [{ kind: 'ServiceAccount', name: account, namespace: systemNamespace }],
});
