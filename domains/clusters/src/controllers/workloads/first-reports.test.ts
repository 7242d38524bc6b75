import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInformer } from '@chandlery/runtime';
import type { PodObject } from '../../model/workloads/objects.ts';
import { refs } from './refs.ts';
import { shell, sleeping, startTestCluster, untilObject, within } from './test-workloads.ts';

const podOf = (name: string, container: typeof sleeping): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] },
});

test('a pod that ends at once is reported once, one that goes on a little later', { timeout: 60_000 }, async () => {
  // The clock stands still: all of the first pod is within the time for first reports.
  let now = Date.UTC(2026, 0, 1);
  await using cluster = await startTestCluster({ clock: { now: () => new Date(now) } });
  const { client } = cluster;
  const reports: string[] = [];
  await using pods = createInformer<PodObject>({ client, ref: refs.pods });
  pods.listen({
    updated: ({ status }, before) => {
      if (JSON.stringify(status) !== JSON.stringify(before.status) && status?.containerStatuses !== undefined)
        reports.push(status.phase ?? '');
    },
  });
  pods.start();
  await pods.synced;
  await client.create(within(refs.pods), podOf('short', shell('sleep 0.3')));
  await untilObject<PodObject>(client, refs.pods, 'short', ({ status }) => status?.phase === 'Succeeded');
  await client.create(within(refs.pods), podOf('long', sleeping));
  await untilObject<PodObject>(client, refs.pods, 'long', ({ spec }) => spec?.nodeName !== undefined);
  assert.deepEqual(reports, ['Succeeded']);
  await untilObject<PodObject>(client, refs.pods, 'long', ({ status }) => {
    // The process may start after the first look, so the clock advances until it is reported.
    now += 1000;
    return status?.phase === 'Running';
  });
});
