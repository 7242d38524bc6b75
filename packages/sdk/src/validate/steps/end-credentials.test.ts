import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { retainedNames } from '@chandlery/providers/kinds';
import type { ValidationContext } from '../validation-context.ts';
import { endCredentials } from './end-credentials.ts';

const request: KubeObject = {
  apiVersion: 'clusters.openmcp.cloud/v1alpha1',
  kind: 'AccessRequest',
  metadata: { name: 'foo--c--mcp', namespace: 'mcp', labels: { [retainedNames.handedOverLabel]: 'true' } },
  spec: { clusterRef: { name: 'mcp', namespace: 'mcp' } },
  status: { secretRef: { name: 'foo--c--mcp.kubeconfig' } },
};
const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } };

test('credentials that are renewed in the moment in which the account is deleted are seen as new', async () => {
  let kubeconfig = 'old';
  const aborting = new AbortController();
  const list = (items: readonly KubeObject[]) => async () => ({ items, metadata: {} });
  const platform = {
    list: ({ plural }: ObjectRef) => list(plural === 'accessrequests' ? [request] : [])(),
    get: async () => ({ data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') } }),
  };
  const cluster = {
    list: list([account]),
    delete: async () => {
      kubeconfig = 'new';
    },
  };
  const context: Pick<ValidationContext, 'platform' | 'connect' | 'open' | 'progress' | 'signal'> = {
    platform: platform as unknown as Client,
    connect: async () => cluster as unknown as Client,
    open: () => ({ list: list([]) }) as unknown as Client,
    progress: text => {
      // A second poll means that the new credentials were not recognised in the first one.
      if (text.includes('new credentials')) setImmediate(() => setImmediate(() => aborting.abort()));
    },
    signal: aborting.signal,
  };
  await endCredentials(context as ValidationContext, { name: 'c', namespace: 'ws' });
  assert.equal(kubeconfig, 'new');
});
