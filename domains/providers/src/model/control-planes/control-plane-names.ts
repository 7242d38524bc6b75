import { clusterNames, shorten, tenantNamespace } from '@chandlery/clusters/kinds';
import { type ControlPlane, providerNames } from '../../kinds/index.ts';

/** The value of the managed-by label of all objects of control planes. */
export const controlPlanesManager = 'chandlery-control-planes';

/** Labels that the scheduler copies to the cluster of a request. */
const copiedPrefix = 'metadata.open-control-plane.io/';

/** The place of a control plane, and of its objects on the platform cluster. */
export interface Identity {
  readonly name: string;
  readonly namespace: string;
  /** On the platform cluster. */
  readonly tenantNamespace: string;
  /** The labels of everything that belongs to it, on both clusters. */
  readonly labels: Readonly<Record<string, string>>;
}

export function identityOf({ metadata }: ControlPlane): Identity {
  const { name = '', namespace = '' } = metadata;
  return {
    name,
    namespace,
    tenantNamespace: tenantNamespace(namespace, name),
    labels: {
      [providerNames.controlPlaneNameLabel]: shorten(name),
      [providerNames.controlPlaneNamespaceLabel]: shorten(namespace),
    },
  };
}

/** {@link Identity.labels} and the managed-by label. */
export const managedLabels = ({ labels }: Identity): Record<string, string> => ({
  [providerNames.managedByLabel]: controlPlanesManager,
  ...labels,
});

/**
 * Labels that describe owner and purpose on the cluster. Project and workspace are known only in the namespace of a
 * workspace.
 */
export function copiedLabels(
  { name, namespace }: Identity,
  { project, workspace }: { readonly project?: string | undefined; readonly workspace?: string | undefined },
): Record<string, string> {
  const facts = { 'cp-name': name, 'cp-namespace': namespace, project, workspace };
  const known = Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== undefined);
  return Object.fromEntries(known.map(([fact, value]) => [`${copiedPrefix}${fact}`, shorten(value)]));
}

/** Stays on the control plane as long as the named ClusterRequest may exist. */
export const requestFinalizer = (request: string): string => `${clusterNames.requestFinalizerPrefix}${request}`;

/** The ClusterRequests that the finalizers of the control plane name. */
export const requestsInFinalizers = ({ metadata }: ControlPlane): readonly string[] =>
  (metadata.finalizers ?? [])
    .filter(finalizer => finalizer.startsWith(clusterNames.requestFinalizerPrefix))
    .map(finalizer => finalizer.slice(clusterNames.requestFinalizerPrefix.length));
