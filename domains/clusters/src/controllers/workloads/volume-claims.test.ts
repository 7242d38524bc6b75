import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually, startTestPlane } from '@chandlery/testing';
import type { PodObject } from '../../model/workloads/objects.ts';
import type { VolumeClaim } from '../../model/workloads/volume-claims.ts';
import { refs } from './refs.ts';
import { startWorkloads } from './start-workloads.ts';
import { at, shell, startTestCluster, startTestNode, untilGone, untilObject, within } from './test-workloads.ts';

const claim: VolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const writerOf = (word: string): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'writer', namespace: 'default' },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      shell(`echo ${word} > "$FOLDER/word"; exec sleep 600`, {
        env: [{ name: 'FOLDER', value: '/data' }],
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      }),
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
});

const claims = refs.persistentVolumeClaims;

describe('claims of a local cluster', { timeout: 60_000 }, () => {
  test('are waited for, bound when a pod uses them, and kept until it is deleted', async () => {
    await using cluster = await startTestCluster();
    const { client, folder } = cluster;
    const written = join(folder, 'claims/onboarding/default/data/word');
    await client.create(within(refs.pods), writerOf('ahoy'));
    await untilObject<PodObject>(
      client,
      refs.pods,
      'writer',
      ({ status }) =>
        status?.conditions?.some(({ message }) => message === 'persistentvolumeclaim "data" not found') ?? false,
    );
    await client.create(within(claims), claim);
    await untilObject<VolumeClaim>(client, claims, 'data', ({ status }) => status?.phase === 'Bound');
    await eventually(() => existsSync(written));
    await client.delete(at(claims, 'data'));
    assert.ok((await client.get(at(claims, 'data'))).metadata.deletionTimestamp);
    assert.ok(existsSync(written));
    await client.delete(at(refs.pods, 'writer'));
    await untilGone(client, claims, 'data');
    assert.ok(!existsSync(join(folder, 'claims/onboarding/default/data')));
  });

  test('of the same name on two clusters do not share their files', async () => {
    await using plane = await startTestPlane({ clusters: ['a', 'b'] });
    await using machine = await startTestNode();
    const { node, folder } = machine;
    const [a, b] = [plane.connect('a'), plane.connect('b')];
    await using _ = startWorkloads({ client: a, node, clusterName: 'a', stopGraceSeconds: 0 });
    await using second = startWorkloads({ client: b, node, clusterName: 'b', stopGraceSeconds: 0 });
    for (const client of [a, b]) await client.create(within(claims), claim);
    await a.create(within(refs.pods), writerOf('one'));
    await b.create(within(refs.pods), writerOf('two'));
    const wordOf = (cluster: string): string => {
      const file = join(folder, 'claims', cluster, 'default/data/word');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    await eventually(() => wordOf('a') === 'one\n' && wordOf('b') === 'two\n');
    await second.purge();
    assert.deepEqual(readdirSync(join(folder, 'claims')), ['a']);
  });
});
