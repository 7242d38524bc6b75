import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { AccountView } from '../../model/clouds/plan-resource.ts';
import type { CloudResourceDeps } from './cloud-resource-deps.ts';
import { reportResource } from './report-resource.ts';

const resolution = {
  machines: [{ id: 'i-1', address: '10.0.0.1', state: 'Running', region: 'eu' }] as const,
  missing: [],
};
const readAt = new Date('2030-01-01T00:00:00Z');
const failure = new ChandleryError('CloudUnreachable', 'a region does not respond');
const cases: readonly { readonly why: string; readonly view: AccountView; readonly machines: number | undefined }[] = [
  { why: 'has those that were found', view: { type: 'read', resolution, readAt }, machines: 1 },
  {
    why: 'has as many as before while a part cannot be read',
    view: { type: 'read', resolution, readAt, failure },
    machines: 3,
  },
  { why: 'has as many as before until its account is read', view: { type: 'unread' }, machines: 3 },
  { why: 'has none without its account', view: { type: 'missing' }, machines: 0 },
];

for (const { why, view, machines } of cases)
  test(`a resource ${why}`, async () => {
    const resource = { metadata: { name: 'web' }, spec: { account: 'prod' }, status: { machines: 3 } } as CloudResource;
    const { signal } = new AbortController();
    const context = { now: readAt, key: 'shop/web', failures: 0, isRequested: false, signal, logger: silentLogger };
    await reportResource(resource, { viewAccount: () => view } as unknown as CloudResourceDeps, context);
    assert.equal(resource.status?.machines, machines);
  });
