import type { KubeObject } from '@chandlery/api';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  systemNamespace,
} from '@chandlery/clusters/kinds';
import { type DesiredObject, setController } from '@chandlery/runtime';
import { type ControlPlane, type ControlPlaneConfig, providerNames } from '../../kinds/index.ts';
import { tenantNamespaceRole } from '../operator/access-objects.ts';
import type { Access } from './accesses.ts';
import { type Identity, managedLabels } from './control-plane-names.ts';

const rbac = 'rbac.authorization.k8s.io';

/** The namespace of a control plane on the platform cluster. */
export const tenantNamespaceObject = (identity: Identity): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: identity.tenantNamespace, labels: managedLabels(identity) },
});

/** Gives providers their rights in the tenant's namespace, and nowhere else. */
export const providerBinding = (identity: Identity): DesiredObject => ({
  plural: 'rolebindings',
  object: {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'chandlery:providers', namespace: identity.tenantNamespace, labels: managedLabels(identity) },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: tenantNamespaceRole },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: `system:serviceaccounts:${systemNamespace}` }],
  },
});

/** Whether a tenant may choose this purpose: the landscape's own clusters are excluded. */
export const isTenantPurpose = (purpose: string): boolean => purpose.includes('mcp');

/** The purpose of a control plane's cluster; immutable, since requests are. */
export const purposeOf = (
  { metadata }: ControlPlane,
  { mcpClusterPurpose }: ControlPlaneConfig['spec'],
  request: ClusterRequest | undefined,
): string => request?.spec.purpose ?? metadata.labels?.[providerNames.purposeLabel] ?? mcpClusterPurpose;

/** Builds the request for the cluster. */
export const desiredClusterRequest = (
  identity: Identity,
  { purpose, copied }: { readonly purpose: string; readonly copied: Readonly<Record<string, string>> },
): DesiredObject => {
  const { name, tenantNamespace: namespace } = identity;
  const labels = { ...managedLabels(identity), ...copied };
  return { plural: clusterRequests.plural, object: clusterRequests.object({ name, namespace, labels }, { purpose }) };
};

/** Builds the request for one access to the cluster. */
export function desiredAccessRequest(identity: Identity, { requestName, labels, spec }: Access): DesiredObject {
  const namespace = identity.tenantNamespace;
  const object: AccessRequest = accessRequests.object(
    { name: requestName, namespace, labels: { ...managedLabels(identity), ...labels } },
    { requestRef: { name: identity.name, namespace }, ...spec },
  );
  return { plural: accessRequests.plural, object };
}

/** Builds the tenant's copy of the Secret. */
export function copiedSecret(owner: ControlPlane, identity: Identity, access: Access, source: KubeObject): KubeObject {
  const copy: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: access.secretName,
      namespace: identity.namespace,
      labels: { ...managedLabels(identity), ...access.labels },
    },
    type: 'Opaque',
    data: source['data'] ?? {},
  };
  setController(copy, owner);
  return copy;
}

/** Whether an object with the name belongs to another owner. */
export const isForeign = ({ labels }: Identity, object: KubeObject): boolean =>
  Object.entries(labels).some(([label, value]) => object.metadata.labels?.[label] !== value);
