import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import type { StepContext } from '@chandlery/runtime';
import { type Tenant, workspaces } from '../../kinds/index.ts';
import { placeWorkspace } from '../../model/tenants/tenant-place.ts';
import { awaitContents } from './await-contents.ts';
import type { TenantDeps } from './tenant-deps.ts';

const context: StepContext = {
  now: new Date(0),
  key: 'project-sea/north',
  failures: 0,
  isRequested: false,
  signal: new AbortController().signal,
  logger: silentLogger,
};
const kind = { group: 'example.org', version: 'v1', kind: 'Boat', plural: 'boats' };
const boat: KubeObject = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'hidden' } };

/** The namespace of workspace `north` of project `sea`, with a boat in it. */
function depsWith(labels: Readonly<Record<string, string>>): TenantDeps {
  const unused = async (): Promise<void> => undefined;
  return {
    level: 'workspace',
    place: ({ metadata: { name = '', namespace = '' } }) => placeWorkspace(namespace, name),
    config: () => ({}),
    blockingKinds: () => [kind],
    findNamespace: async name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }),
    createNamespace: unused,
    deleteNamespace: unused,
    apply: unused,
    listIn: async () => [boat],
  };
}

const own = { 'core.openmcp.cloud/project': 'sea', 'core.openmcp.cloud/workspace': 'north' };
const north = (): Tenant => workspaces.object({ name: 'north', namespace: 'project-sea' }, { members: [] });

describe('Waiting for the contents of a tenant', () => {
  it('continues until they are deleted, and names them', async () => {
    const tenant = north();
    assert.equal(await awaitContents(tenant, depsWith(own), context), 'stop');
    assert.deepEqual(
      tenant.status?.remaining?.map(({ name }) => name),
      ['hidden'],
    );
  });

  it('does not disclose what is in a namespace of another owner, nor wait for it', async () => {
    const tenant = north();
    const foreign = { ...own, 'core.openmcp.cloud/project': 'sea--ws-north' };
    assert.equal(await awaitContents(tenant, depsWith(foreign), context), 'continue');
    assert.ok(!JSON.stringify(tenant).includes('hidden'));
  });
});
