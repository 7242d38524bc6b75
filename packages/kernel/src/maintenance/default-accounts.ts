import { formatTime, isError } from '@chandlery/api';
import { defaultServiceAccount, type Namespace } from '../behaviours/namespace.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import { createObject } from '../resources/create.ts';
import type { ResourceDeps } from '../resources/request.ts';
import { keyOfText, type MaintenanceTask, maintenanceWrite, readStored, targetOfKey, textOfKey } from './task.ts';
import type { TaskOutcome } from './task-queue.ts';

const resource = '/serviceaccounts';

/** Restores the service account `default` of a namespace that has lost it: pods need one. */
export class DefaultAccounts implements MaintenanceTask {
  readonly name = 'default-accounts';
  readonly #deps: ResourceDeps;

  constructor(deps: ResourceDeps) {
    this.#deps = deps;
  }

  *keysFor({ change: { key, type } }: FeedEvent): Iterable<string> {
    if (type === 'deleted' && key.resource === resource && key.name === 'default') yield textOfKey(key);
  }

  async work(text: string): Promise<TaskOutcome> {
    const key = keyOfText(text);
    const { cluster, namespace } = key;
    const found: Namespace | undefined = await readStored(this.#deps, {
      cluster,
      resource: '/namespaces',
      namespace: '',
      name: namespace,
    });
    const target = await targetOfKey(this.#deps, key);
    if (target === undefined || found?.status?.phase !== 'Active') return {};
    const account = defaultServiceAccount(namespace, '', formatTime(this.#deps.clock.now()));
    try {
      await createObject(this.#deps, { ...target, name: '' }, maintenanceWrite, account);
    } catch (error) {
      // Another writer created it again, or the namespace or its cluster is being deleted.
      if (!isError(error, 'AlreadyExists', 'NotFound', 'Forbidden')) throw error;
    }
    return {};
  }
}
