import { formatTime, type KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import { ownerReference } from '@chandlery/runtime';
import type { ResourceStatus, ServiceObject } from '../definition/service-kind.ts';
import { receiptName, sdkNames } from './names.ts';

/** What a receipt is made of. */
export interface ReceiptInput {
  readonly object: ServiceObject;
  readonly provider: string;
  /** What stays besides the objects of the status. */
  readonly notes: readonly string[];
  /** The receipt that an interrupted attempt left. */
  readonly previous: KubeObject | undefined;
  readonly now: Date;
  /** What holds the clusters and the access of the service; the receipt goes with it. Default: nothing does. */
  readonly retained?: KubeObject;
}

type Data = Readonly<Record<string, string>>;

/** The ConfigMap that tells a tenant what stays, where, and how to get it back. Outlives the object. */
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

/** One line for each of an object's resources. */
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
