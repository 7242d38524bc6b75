/** The server of an Argo, which knows node statuses that are not in the objects. */
export interface ArgoServerSettings {
  readonly url: string;
  /** A bearer token. Default: none. */
  readonly token?: string;
  /** PEM of the authority of its certificate. Default: those that the system trusts. */
  readonly caPem?: string;
}

/** A cluster to whose Argo orders are handed, and how. */
export interface ArgoSettings {
  /** The name of the Cluster in the system namespace of the platform cluster. */
  readonly cluster: string;
  /** The tenants whose orders go there. Default: all. */
  readonly tenants?: readonly string[];
  /** The namespace of all Workflows. Default: one for each tenant, `orders-<tenant>`. */
  readonly namespace?: string;
  /** The instance id of the controller, if it has one: it ignores Workflows without. */
  readonly instanceId?: string;
  /** The service account of pods. Default: that of the namespace. */
  readonly serviceAccount?: string;
  /** The service account of Argo's own containers. Default: the token of the pod's account is mounted into all containers. */
  readonly executorServiceAccount?: string;
  /** Default: none; offloaded node statuses are errors then. */
  readonly server?: ArgoServerSettings;
}

/** Returns the first cluster that takes orders of a tenant; undefined: the embedded engine does. */
export const argoFor = (settings: readonly ArgoSettings[], tenant: string): ArgoSettings | undefined =>
  settings.find(({ tenants }) => tenants === undefined || tenants.includes(tenant));
