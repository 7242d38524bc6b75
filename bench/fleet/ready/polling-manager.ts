import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';

/** The states of an instance in a manager whose workers scan; the agent scans too. */
export const polledStates = ['accepted', 'preparing', 'provisioning', 'installed', 'ready'] as const;
const stateLabel = 'state';
const scanMs = 1000;
const writesAtATime = 32;

const configMaps = { group: '', version: 'v1', plural: 'configmaps', namespace: 'polled' };

/** Instances of the polling manager: objects of the same store, their state in a label. */
export const polledInstances = {
  ref: configMaps,
  isReady: ({ metadata }: KubeObject): boolean => metadata.labels?.[stateLabel] === polledStates.at(-1),
  make: (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { [stateLabel]: polledStates[0] } },
  }),
} as const;

/** Starts one worker for each transition: once a second it lists the instances of its state and moves them on. */
export function startPollingManager(client: Client): AsyncDisposable {
  const stop = new AbortController();
  const workers = polledStates
    .slice(0, -1)
    .map((state, index) => scan(client, state, polledStates[index + 1] ?? '', stop.signal));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(workers);
    },
  };
}

async function scan(client: Client, from: string, to: string, signal: AbortSignal): Promise<void> {
  // Workers of separate processes do not scan at the same moment.
  await sleep(Math.random() * scanMs);
  while (!signal.aborted) {
    const { items } = await client.list(configMaps, { labelSelector: `${stateLabel}=${from}` });
    const names = items.map(({ metadata }) => metadata.name ?? '');
    const move = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const body = { metadata: { labels: { [stateLabel]: to } } };
        await client.patch({ ...configMaps, name }, { type: 'merge', body });
      }
    };
    await Promise.all(Array.from({ length: writesAtATime }, move));
    await sleep(scanMs);
  }
}
