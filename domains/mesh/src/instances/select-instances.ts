import { type InstanceSelection, isSelected, mayConsume } from '../model/mesh-instance.ts';
import { type ServiceKey, serviceKey } from '../model/service-name.ts';
import type { ServiceGrant } from '../model/topology.ts';
import type { MeshInstances } from '../ports/mesh-instances.ts';
import type { BindingGrants, GrantChanges } from '../ports/mesh-topology.ts';
import type { InstanceRecord, InstanceRecords, RecordChange, RecordedGrant } from './instance-records.ts';

/** Which records concern a mesh. */
export interface RecordSelection {
  readonly instances: readonly InstanceSelection[];
  /** Names of the clusters of the mesh. */
  readonly clusters: readonly string[];
}

/** The instances of a mesh: for its endpoints, and for its policies. */
export interface SelectedInstances {
  readonly instances: MeshInstances;
  readonly grants: BindingGrants;
}

/** Returns what a mesh sees of the records. */
export function selectInstances(records: InstanceRecords, selection: RecordSelection): SelectedInstances {
  const seen = (record: InstanceRecord | undefined): InstanceRecord | undefined =>
    record !== undefined && isSelected(selection.instances, record.tenant) ? record : undefined;
  const find = (service: ServiceKey): InstanceRecord | undefined => seen(records.get(service));
  const grantsOf = (record: InstanceRecord | undefined): readonly ServiceGrant[] =>
    (record?.grants ?? []).flatMap(grant => grantHere(grant, record?.tenant ?? '', selection) ?? []);
  const instances: MeshInstances = {
    synced: records.synced,
    get isSynced() {
      return records.isSynced;
    },
    get staleReason() {
      return records.staleReason;
    },
    get: service => find(serviceKey(service))?.instance,
    list: () => [...records.list()].flatMap(record => seen(record)?.instance ?? []),
    subscribe: listener =>
      records.subscribe(changes => {
        const changed = changes.flatMap(change =>
          changedServices({ before: seen(change.before), after: seen(change.after) }),
        );
        if (changed.length > 0) listener([...new Set(changed)]);
      }),
  };
  const grants: BindingGrants = {
    synced: records.synced,
    get isSynced() {
      return records.isSynced;
    },
    grantsTo: service => grantsOf(find(serviceKey(service))),
    subscribe: listener =>
      records.subscribe(changes => {
        const changed = changedGrants(
          changes.map(({ before, after }) => ({ before: seen(before), after: seen(after) })),
          grantsOf,
        );
        if (changed.size > 0) listener(changed);
      }),
  };
  return { instances, grants };
}

function grantHere(
  { source, consumer }: RecordedGrant,
  tenant: string,
  { instances, clusters }: RecordSelection,
): ServiceGrant | undefined {
  const { namespace, name, cluster } = consumer;
  if (!mayConsume(instances, { tenant, consumer })) return undefined;
  if (cluster !== undefined && !clusters.includes(cluster)) return undefined;
  return { source, consumer: { namespace, name }, ...(cluster !== undefined && { cluster }) };
}

function changedServices({ before, after }: RecordChange): ServiceKey[] {
  if (JSON.stringify(before?.instance) === JSON.stringify(after?.instance)) return [];
  return [before, after].flatMap(record => (record === undefined ? [] : serviceKey(record.instance.service)));
}

function changedGrants(
  changes: readonly RecordChange[],
  grantsOf: (record: InstanceRecord | undefined) => readonly ServiceGrant[],
): GrantChanges {
  const changed = new Map<ServiceKey, Set<string>>();
  const add = (record: InstanceRecord | undefined, grants: readonly ServiceGrant[]): void => {
    if (record === undefined || grants.length === 0) return;
    const key = serviceKey(record.instance.service);
    const accounts = changed.get(key) ?? new Set();
    for (const { consumer } of grants) accounts.add(serviceKey(consumer));
    changed.set(key, accounts);
  };
  for (const { before, after } of changes) {
    const [old, present] = [grantsOf(before), grantsOf(after)];
    if (JSON.stringify(old) === JSON.stringify(present)) continue;
    add(before, difference(old, present));
    add(after, difference(present, old));
  }
  return changed;
}

function difference(one: readonly ServiceGrant[], other: readonly ServiceGrant[]): readonly ServiceGrant[] {
  const texts = new Set(other.map(grant => JSON.stringify(grant)));
  return one.filter(grant => !texts.has(JSON.stringify(grant)));
}
