import type { KubeObject } from '@chandlery/api';
import type { Informer } from '@chandlery/runtime';
import type { ApiLink } from '../api-link.ts';
import type { SliceAddress } from './compact-slice.ts';

/** A pod reduced to its service account. */
interface CompactPod extends KubeObject {
  readonly serviceAccount?: string;
}

/** A node reduced to its zone. */
interface CompactNode extends KubeObject {
  readonly zone?: string;
}

/** The data of an address that its slice does not have, and missing references. */
export interface AddressMetadata {
  readonly serviceAccount: string | undefined;
  readonly zone: string | undefined;
  /** Pods or nodes that the slice references and that are not in the cache yet. */
  readonly awaited: readonly string[];
}

/** The data that slices do not have: service accounts of pods and, optionally, zones of nodes. */
export class ClusterMetadata {
  readonly synced: Promise<unknown>;
  readonly #pods: Informer<CompactPod>;
  readonly #nodes: Informer<CompactNode> | undefined;

  /** Calls `onKnown` with each reference that was added to the cache. */
  constructor(link: ApiLink, hasNodeZones: boolean, onKnown: (reference: string) => void) {
    const pods = { group: '', version: 'v1', plural: 'pods' };
    const nodes = { group: '', version: 'v1', plural: 'nodes' };
    this.#pods = link.watch<CompactPod>({ ref: pods, transform: compactPod });
    this.#pods.listen({ added: ({ metadata }) => onKnown(podReference(metadata.namespace, metadata.name)) });
    if (hasNodeZones) {
      this.#nodes = link.watch<CompactNode>({ ref: nodes, transform: compactNode });
      const notify = ({ metadata, zone }: CompactNode): void => {
        if (zone !== undefined) onKnown(nodeReference(metadata.name));
      };
      this.#nodes.listen({ added: notify, updated: notify });
    }
    this.synced = Promise.all([this.#pods.synced, this.#nodes?.synced]);
  }

  of(namespace: string, address: SliceAddress): AddressMetadata {
    const pod = address.pod && this.#podOf(namespace, address.pod);
    const zone = address.zone ?? this.#zoneOf(address.node);
    const awaited: string[] = [];
    if (address.pod !== undefined && pod === undefined) awaited.push(podReference(namespace, address.pod.name));
    if (this.#nodes !== undefined && address.node !== undefined && zone === undefined)
      awaited.push(nodeReference(address.node));
    return { serviceAccount: pod?.serviceAccount, zone, awaited };
  }

  /** Ignores an earlier pod of the same name, which may have had another account. */
  #podOf(namespace: string, { name, uid }: { readonly name: string; readonly uid: string }): CompactPod | undefined {
    const pod = this.#pods.get(namespace, name);
    return uid === '' || pod?.metadata.uid === uid ? pod : undefined;
  }

  #zoneOf(node: string | undefined): string | undefined {
    return node === undefined ? undefined : this.#nodes?.get(undefined, node)?.zone;
  }
}

const podReference = (namespace: string | undefined, name: string | undefined): string => `pod ${namespace}/${name}`;
const nodeReference = (name: string | undefined): string => `node ${name}`;

const zoneLabel = 'topology.kubernetes.io/zone';

function compactPod(pod: KubeObject): CompactPod {
  const { serviceAccountName = 'default' } = (pod['spec'] ?? {}) as { readonly serviceAccountName?: string };
  return { ...identityOf(pod), serviceAccount: serviceAccountName };
}

function compactNode(node: KubeObject): CompactNode {
  const zone = node.metadata.labels?.[zoneLabel];
  return zone === undefined ? identityOf(node) : { ...identityOf(node), zone };
}

function identityOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name = '', namespace, uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, ...(namespace && { namespace }) } };
}
