import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@chandlery/api';
import type { Client, WatchEvent } from '@chandlery/client';
import { eventually, startTestPlane } from '@chandlery/testing';
import type { Job } from '../../model/workloads/objects.ts';
import { refs } from './refs.ts';
import { startWorkloads } from './start-workloads.ts';
import {
  deploymentOf,
  jobOf,
  podsOf,
  shell,
  sleeping,
  startTestNode,
  untilObject,
  untilRolledOut,
  within,
} from './test-workloads.ts';

/** A client with delayed watches that counts the created pods. */
function slowClient(client: Client, made: string[]): Client {
  async function* late<T extends KubeObject>(events: AsyncIterable<WatchEvent<T>>): AsyncGenerator<WatchEvent<T>> {
    for await (const event of events) {
      await delay(20);
      yield event;
    }
  }
  const watch: Client['watch'] = (ref, options) => late(client.watch(ref, options));
  const create: Client['create'] = async (ref, object, options) => {
    const created = await client.create(ref, object, options);
    if (created.kind === 'Pod') made.push(created.metadata.name ?? '');
    return created;
  };
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'watch') return watch;
      if (name === 'create') return create;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

test('pods are never made twice, however late the watch is', { timeout: 60_000 }, async () => {
  await using plane = await startTestPlane();
  await using machine = await startTestNode();
  const made: string[] = [];
  const client = slowClient(plane.client, made);
  await using _ = startWorkloads({ client, node: machine.node, clusterName: 'onboarding', stopGraceSeconds: 0 });
  await plane.client.create(within(refs.deployments), deploymentOf('web', [sleeping], { replicas: 4 }));
  await plane.client.create(within(refs.jobs), jobOf('sum', shell('true'), { completions: 3, parallelism: 3 }));
  await untilRolledOut(plane.client, 'web');
  await untilObject<Job>(plane.client, refs.jobs, 'sum', ({ status }) => status?.succeeded === 3);
  assert.equal(made.length, 7);
  await plane.client.patch(
    { ...within(refs.deployments), name: 'web', subresource: 'scale' },
    { type: 'merge', body: { spec: { replicas: 2 } } },
  );
  await untilRolledOut(plane.client, 'web');
  await eventually(async () => (await podsOf(plane.client, 'web')).length === 2);
  assert.equal(made.length, 7, 'and none is removed that has to be made again');
});
