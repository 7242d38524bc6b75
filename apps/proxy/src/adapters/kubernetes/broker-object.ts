import type { KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';

/** The kind by which a cluster knows brokers. Our own has the shape of service-catalog's. */
export interface BrokerKind {
  readonly ref: ResourceRef;
  readonly apiVersion: string;
  readonly kind: string;
  /** Where the secrets with credentials are. */
  readonly secretNamespace: string;
  /**
   * Whether the controller of the objects removes the secret when it is no longer needed. Default false: the adapter
   * does.
   */
  readonly isSecretKept?: boolean;
}

interface SecretRef {
  readonly name: string;
  readonly namespace?: string;
}

/** A broker in the cluster. */
export interface BrokerObject extends KubeObject {
  spec: {
    url: string;
    authInfo?: { basic?: { secretRef: SecretRef } };
    caBundle?: string;
    relistBehavior?: string;
    relistRequests?: number;
  };
}

/** Who writes into the cluster. */
export const fieldManager = 'chandlery-proxy';

/** Service-catalog's brokers: of the whole cluster, or of one namespace. */
export const serviceCatalogKind = (secretNamespace: string, targetNamespace: string | undefined): BrokerKind => ({
  ref: {
    group: 'servicecatalog.k8s.io',
    version: 'v1beta1',
    plural: targetNamespace === undefined ? 'clusterservicebrokers' : 'servicebrokers',
    ...(targetNamespace === undefined ? {} : { namespace: targetNamespace }),
  },
  apiVersion: 'servicecatalog.k8s.io/v1beta1',
  kind: targetNamespace === undefined ? 'ClusterServiceBroker' : 'ServiceBroker',
  secretNamespace: targetNamespace ?? secretNamespace,
});

/** Where a broker and its credentials are, in the words of the kind. */
export function brokerSpec(
  { ref, secretNamespace }: BrokerKind,
  { url, brokerId, caPem }: { readonly url: string; readonly brokerId: string; readonly caPem: string | undefined },
): BrokerObject['spec'] {
  const name = secretName(brokerId);
  // A broker of a namespace finds its secret beside it.
  const secretRef = ref.namespace === undefined ? { namespace: secretNamespace, name } : { name };
  return {
    url,
    authInfo: { basic: { secretRef } },
    relistBehavior: 'Manual',
    ...(caPem === undefined ? {} : { caBundle: Buffer.from(caPem).toString('base64') }),
  };
}

/** The name of the secret for a broker of the service manager. */
export const secretName = (brokerId: string): string => objectName(brokerId);

/** Makes a text a name that Kubernetes takes. */
export function objectName(text: string): string {
  const name = text.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
  return name.slice(-maxNameLength).replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
}

/** The end of a name holds the id, which distinguishes brokers. */
const maxNameLength = 253;
