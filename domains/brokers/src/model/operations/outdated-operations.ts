import type { OperationRow, Registry } from '../rows.ts';
import { lastOperationOf } from './last-operation.ts';
import { isEmbedded, isEnded } from './operation-state.ts';

/** Where resources are, by the path that operations name them with. */
const tables = {
  '/v1/service_instances': 'instances',
  '/v1/service_bindings': 'bindings',
  '/v1/platforms': 'platforms',
  '/v1/service_brokers': 'brokers',
  '/v1/visibilities': 'visibilities',
  '/v1/service_offerings': 'offerings',
  '/v1/service_plans': 'plans',
} as const;

/**
 * Operations that can be removed: ended, unchanged since the time, and not the last one of an existing resource. A
 * cascade is removed as a whole or not at all.
 */
export function* outdatedOperations(registry: Registry, since: string): Iterable<OperationRow> {
  // In order of creation: whatever was made after the time was touched after it, too.
  for (const operation of registry.operations.all()) {
    if (operation.createdAt >= since) return;
    const { cascadeRootId = operation.id } = operation.spec;
    if (cascadeRootId !== operation.id) continue;
    const tree = operation.spec.cascadeRootId === undefined ? [operation] : treeOf(registry, operation);
    if (tree.every(member => isOutdated(registry, member, since))) yield* tree;
  }
}

const treeOf = (registry: Registry, root: OperationRow): OperationRow[] => [
  ...new Set([...registry.operations.by('cascadeRootId', root.id), root]),
];

function isOutdated(registry: Registry, operation: OperationRow, since: string): boolean {
  const { resourceType, resourceId } = operation.spec;
  // What is part of the resource goes with it.
  if (isEmbedded(operation) || !isEnded(operation) || operation.updatedAt >= since) return false;
  const table = (tables as Partial<Record<string, (typeof tables)[keyof typeof tables]>>)[resourceType];
  const isAlive = table !== undefined && registry[table].get(resourceId) !== undefined;
  return !isAlive || lastOperationOf(registry, resourceType, resourceId)?.id !== operation.id;
}

/** Deletions of something that there is no row of, whose end no platform has asked for since the time. */
export function* unpolledDeletions(registry: Registry, since: string): Iterable<OperationRow> {
  for (const operation of registry.operations.by('open', 'in progress'))
    if (operation.spec.isOfUnknown === true && operation.updatedAt < since) yield operation;
}

/** Operations of whatever is done within one request, begun so long ago that the request must have been cut off. */
export function* interruptedOperations(registry: Registry, since: string): Iterable<OperationRow> {
  for (const operation of registry.operations.by('open', 'in progress')) {
    const { resourceType, cascadeRootId } = operation.spec;
    const isWithinRequest = resourceType !== '/v1/service_instances' && resourceType !== '/v1/service_bindings';
    if (isWithinRequest && cascadeRootId === undefined && operation.updatedAt < since) yield operation;
  }
}
