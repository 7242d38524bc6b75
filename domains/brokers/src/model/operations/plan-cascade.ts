import type { JsonObject } from '@chandlery/api';
import {
  type BindingRow,
  type InstanceRow,
  type OperationRow,
  type PlatformRow,
  type Registry,
  type RegistryWrite,
  touchRow,
} from '../rows.ts';
import { platformOf } from '../sharing/owner.ts';
import { bindingsOf, referencesOf } from '../sharing/rows-of-instance.ts';
import { newOperation } from './new-operation.ts';
import { isOpen } from './operation-state.ts';

/** A resource in a cascade. */
export type CascadeNode =
  | { readonly table: 'platforms'; readonly row: PlatformRow }
  | { readonly table: 'instances'; readonly row: InstanceRow }
  | { readonly table: 'bindings'; readonly row: BindingRow };

/** How a cascade is done. */
export interface CascadeOptions {
  /** Whether resources go whatever their brokers say. */
  readonly isForced: boolean;
  readonly correlationId: string;
  /** The originating identity. Default: none. */
  readonly user?: JsonObject;
}

/** The operations of a cascade, to be committed together. */
export interface CascadePlan {
  readonly rootId: string;
  readonly writes: readonly RegistryWrite[];
}

interface Planned {
  readonly node: CascadeNode;
  readonly id: string;
  readonly parentId?: string;
}

const resourceTypes = {
  platforms: '/v1/platforms',
  instances: '/v1/service_instances',
  bindings: '/v1/service_bindings',
} as const;

/**
 * Plans the pending deletions of a resource and all its dependants, each resource once. Children are written before
 * their parents, so that an observer of single writes never sees a parent without its children. The root's row is
 * touched, so that of two concurrent cascades only one begins.
 */
export function planCascade(registry: Registry, root: CascadeNode, options: CascadeOptions): CascadePlan {
  const rootId = registry.newId();
  const planned: Planned[] = [{ node: root, id: rootId }];
  const writes: RegistryWrite[] = [touchRow<CascadeNode['table']>(root.table, root.row)];
  // The list grows while it is walked.
  for (const { node, id, parentId } of planned) {
    const running = runningDeletionOf(registry, node.row.id);
    writes.push(deletion(registry, { node, id, parentId, rootId, waitsFor: running?.id }, options));
    if (running !== undefined) continue;
    for (const child of childrenOf(registry, node)) {
      planned.push({ node: child, id: registry.newId(), parentId: id });
    }
  }
  return { rootId, writes: writes.reverse() };
}

/** The deletion of a resource that has not ended yet, in a cascade or not. */
export function runningDeletionOf(registry: Registry, resourceId: string): OperationRow | undefined {
  for (const operation of registry.operations.by('resourceId', resourceId)) {
    if (operation.spec.type === 'delete' && isOpen(operation)) return operation;
  }
  return undefined;
}

/** The deletion of the same resource, begun earlier, whose end a deletion of a cascade waits for instead of beginning one. */
export function waitedForBy({ spec }: OperationRow): string | undefined {
  return (spec.change as { readonly waitsFor?: string } | undefined)?.waitsFor;
}

function deletion(
  registry: Registry,
  { node, waitsFor, ...place }: Planned & { readonly rootId: string; readonly waitsFor: string | undefined },
  { isForced, correlationId, user }: CascadeOptions,
): RegistryWrite {
  return newOperation({
    registry,
    id: place.id,
    type: 'delete',
    resourceType: resourceTypes[node.table],
    resourceId: node.row.id,
    tenant: node.row.tenant,
    state: 'pending',
    correlationId,
    cascadeRootId: place.rootId,
    ...(place.parentId === undefined ? {} : { parentId: place.parentId }),
    ...(isForced && { isForced }),
    ...(waitsFor === undefined ? {} : { change: { waitsFor } }),
    ...(user === undefined ? {} : { status: { user } }),
  }).write;
}

function childrenOf(registry: Registry, { table, row }: CascadeNode): CascadeNode[] {
  switch (table) {
    case 'platforms':
      return instanceNodes(topInstancesOf(registry, row.id));
    case 'instances':
      return [...bindingNodes(registry, row), ...instanceNodes(referencesOf(registry, row))];
    case 'bindings':
      return [];
  }
}

/** References to an instance of the same platform hang on that instance. */
function topInstancesOf(registry: Registry, platformId: string): InstanceRow[] {
  return [...registry.instances.by('platformId', platformId)].filter(({ spec, tenant }) => {
    const shared = registry.instances.get(spec.referencedInstanceId ?? '');
    return shared === undefined || shared.tenant !== tenant || platformOf(shared) !== platformId;
  });
}

const instanceNodes = (rows: readonly InstanceRow[]): CascadeNode[] => rows.map(row => ({ table: 'instances', row }));

const bindingNodes = (registry: Registry, instance: InstanceRow): CascadeNode[] =>
  bindingsOf(registry, instance).map(row => ({ table: 'bindings', row }));
