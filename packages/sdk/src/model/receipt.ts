import { formatTime, type KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import { ownerReference } from '@chandlery/runtime';
import type { ResourceStatus, ServiceObject } from '../definition/service-kind.ts';
import { receiptName, sdkNames } from './names.ts';

/** The input of a receipt. */
export interface ReceiptInput {
  readonly object: ServiceObject;
  readonly provider: string;
  /** What stays besides the objects of the status. */
  readonly notes: readonly string[];
  /** The receipt of an interrupted attempt. */
  readonly previous: KubeObject | undefined;
  readonly now: Date;
  /** The RetainedService that holds clusters and access of the service; it owns the receipt. Default: none. */
  readonly retained?: KubeObject;
}

type Data = Readonly<Record<string, string>>;

/**
 * Builds the ConfigMap that lists for the tenant what stays, where, and how to take it over again. It outlives the
 * object.
 */
export function receiptFor({ object, provider, notes, previous, now, retained }: ReceiptInput): KubeObject {
  const { namespace = '', name = '' } = object.metadata;
  const before = (previous?.['data'] ?? {}) as Data;
  const stays = new Set([...linesOf(before['stays']), ...staysOf(object), ...notes]);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: receiptName(object.kind, name),
      namespace,
      labels: { [sdkNames.managedByLabel]: shorten(provider) },
      ...(retained && { ownerReferences: [ownerReference(retained)] }),
    },
    data: {
      object: `${object.kind} ${namespace}/${name}`,
      provider,
      'released-at': before['released-at'] ?? formatTime(now),
      stays: `${[...stays].sort().join('\n')}\n`,
      adopt: `Create a ${object.kind} named "${name}" in namespace "${namespace}" with the same spec: it takes all of this over.\n`,
      ...(retained && {
        end: `Delete the RetainedService "${retained.metadata.name}" of this namespace: the service ends.\n`,
      }),
      spec: `${JSON.stringify(object.spec, undefined, 2)}\n`,
    },
  };
}

/** One line for each resource of an object. */
export const staysOf = ({ status }: ServiceObject): readonly string[] => (status?.resources ?? []).map(describe);

const linesOf = (text: string | undefined): readonly string[] => (text ?? '').split('\n').filter(line => line !== '');

const places: Readonly<Record<ResourceStatus['location'], string>> = {
  ManagedControlPlane: 'on the control plane',
  WorkloadCluster: 'on the workload cluster',
  PlatformCluster: 'on the platform cluster',
};

function describe({ kind, namespace, name, location }: ResourceStatus): string {
  const place = namespace ? `${namespace}/${name}` : name;
  return `${kind} ${place} ${places[location]}`;
}
