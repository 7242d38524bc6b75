import { test } from 'node:test';
import { apiError } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import type { LandscapeReplica } from './landscape-replica.ts';
import { listReplicas, ReplicaReport, type ReplicaState } from './replica-report.ts';

const state = (isLeader: boolean): ReplicaState => ({
  version: '1.0.0',
  startedAt: '2030-01-01T00:00:00Z',
  url: 'https://127.0.0.1:7443',
  isLeader,
  authorityVersion: 0,
});

/** The reports of a landscape. */
function reports(present: Readonly<Record<string, ReplicaState>>) {
  const stored = new Map(Object.entries(present));
  const client: Pick<Client, 'list' | 'patch' | 'delete'> = {
    list: (async () => ({
      items: [...stored].map(([name, spec]) => ({ metadata: { name }, spec })),
      metadata: {},
    })) as unknown as Client['list'],
    patch: (async ({ name }: ObjectRef, { body }: { body: LandscapeReplica }) => {
      stored.set(name, body.spec);
    }) as unknown as Client['patch'],
    delete: async ({ name }) => {
      if (!stored.delete(name)) throw apiError('NotFound', 'not found');
      return { apiVersion: 'v1', kind: 'Status', metadata: {} };
    },
  };
  return client as Client;
}

test('a replica that takes the lead removes the report of the former leader, which may have been killed', async () => {
  const platform = reports({ killed: state(true), follower: state(false) });
  let isLeader = false;
  await using report = new ReplicaReport({
    platform,
    replica: 'next',
    stateNow: () => state(isLeader),
    logger: silentLogger,
  });
  const leaders = async (): Promise<string> =>
    (await listReplicas(platform)).map(({ name, isLeader: leads }) => `${name}${leads ? ' leads' : ''}`).join(', ');
  await eventually(async () => (await leaders()) === 'killed leads, follower, next');
  isLeader = true;
  report.check();
  await eventually(async () => (await leaders()) === 'follower, next leads');
});
