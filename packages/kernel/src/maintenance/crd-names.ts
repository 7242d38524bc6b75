import type { FeedEvent } from '../feed/feed-event.ts';
import type { CustomResourceDefinition } from '../registry/kind-of-crd.ts';
import { crdResource } from '../registry/kind-registry.ts';
import type { ResourceDeps } from '../resources/request.ts';
import { type MaintenanceTask, maintenanceMutate, readStored, targetOfKey } from './task.ts';
import type { TaskOutcome } from './task-queue.ts';

/** Checks CRDs that were rejected for their names again once another CRD of their group is deleted. */
export class CrdNames implements MaintenanceTask {
  readonly name = 'crd-names';
  readonly #deps: ResourceDeps;

  constructor(deps: ResourceDeps) {
    this.#deps = deps;
  }

  *keysFor({ change: { key, type } }: FeedEvent): Iterable<string> {
    if (key.resource === crdResource && type === 'deleted') yield `${key.cluster} ${groupOf(key.name)}`;
  }

  async work(text: string): Promise<TaskOutcome> {
    const [cluster = '', group = ''] = text.split(' ');
    const page = await this.#deps.store.list({ cluster, resource: crdResource });
    for (const { key } of page.items.filter(({ key: { name } }) => groupOf(name) === group)) {
      const crd = (await readStored(this.#deps, key)) as CustomResourceDefinition | undefined;
      const target = isRefused(crd) ? await targetOfKey(this.#deps, key) : undefined;
      if (target !== undefined) await maintenanceMutate(this.#deps, target, '', live => live);
    }
    return {};
  }
}

const isRefused = (crd: CustomResourceDefinition | undefined): boolean =>
  crd?.status?.conditions?.some(({ type, status }) => type === 'NamesAccepted' && status === 'False') ?? false;

const groupOf = (crdName: string): string => crdName.slice(crdName.indexOf('.') + 1);
