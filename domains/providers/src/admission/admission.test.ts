import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { controlPlanes, projects, type Tenant } from '../kinds/index.ts';
import { admissionRules } from './admission-rules.ts';
import { admitControlPlane } from './admit-control-plane.ts';
import { admitTenant, type TenantWrite } from './admit-tenant.ts';

const createdBy = 'core.openmcp.cloud/created-by';
const anne = { username: 'anne', groups: ['crew'] };
const operator = { username: 'op', groups: ['system:masters'] };
const asAdmin = (name: string, kind: 'User' | 'Group' = 'User') => ({ kind, name, roles: ['admin' as const] });
const project = (members: Tenant['spec']['members'], creator?: string): Tenant =>
  projects.object(
    { name: 'sea', ...(creator === undefined ? {} : { annotations: { [createdBy]: creator } }) },
    { members },
  );
const annes = project([asAdmin('anne')], 'anne');

describe('A write of a tenant', () => {
  const table: (Partial<TenantWrite> & { why: string; object: Tenant; expected: 'allow' | 'deny' })[] = [
    { why: 'a creation without members', object: project([]), expected: 'allow' },
    { why: 'a creation as admin', object: project([asAdmin('anne')]), expected: 'allow' },
    {
      why: 'a creation by a user whose group is admin',
      object: project([asAdmin('crew', 'Group')]),
      expected: 'allow',
    },
    { why: 'a creation for others', object: project([asAdmin('will')]), expected: 'deny' },
    {
      why: 'a creation for others by the operator',
      object: project([asAdmin('will')]),
      user: operator,
      expected: 'allow',
    },
    { why: 'one that takes oneself out', live: annes, object: project([asAdmin('will')]), expected: 'deny' },
    { why: 'one that removes all members', live: annes, object: project([]), expected: 'deny' },
    {
      why: 'one that makes oneself a viewer',
      live: annes,
      object: project([{ ...asAdmin('anne'), roles: ['view'] }]),
      expected: 'deny',
    },
    {
      why: 'one that adds a member',
      live: annes,
      object: project([asAdmin('anne'), asAdmin('will')]),
      expected: 'allow',
    },
    {
      why: 'one that leaves members unchanged, by another user',
      live: annes,
      object: annes,
      user: { username: 'controller', groups: [] },
      expected: 'allow',
    },
    {
      why: 'one by a user whom the configuration makes a member',
      live: annes,
      object: project([asAdmin('will')]),
      config: { memberOverrides: [asAdmin('crew', 'Group')] },
      expected: 'allow',
    },
    {
      why: 'one without checks',
      live: annes,
      object: project([]),
      config: { webhook: { disabled: true } },
      expected: 'allow',
    },
  ];
  for (const { why, object, live, user = anne, config, expected } of table) {
    it(`${why}: ${expected}`, () => assert.equal(admitTenant({ object, live, user, config }).type, expected));
  }

  it('makes the creator of one without members its admin', () => {
    const admission = admitTenant({ object: project([]), live: undefined, user: anne, config: undefined });
    assert.deepEqual(admission, { type: 'allow', object: annes });
  });

  it('records the creator, whatever the request claims', () => {
    const creatorAfter = (object: Tenant, live: Tenant | undefined): string | undefined => {
      const admission = admitTenant({ object, live, user: anne, config: undefined });
      return admission.type === 'allow' ? admission.object.metadata.annotations?.[createdBy] : 'denied';
    };
    assert.equal(creatorAfter(project([], 'will'), undefined), 'anne');
    assert.equal(creatorAfter(project([asAdmin('anne')], 'will'), annes), 'anne');
    assert.equal(creatorAfter(project([asAdmin('anne')]), annes), 'anne');
    assert.equal(creatorAfter(project([asAdmin('anne')], 'anne'), project([asAdmin('anne')])), undefined);
  });

  it('says what to do when it is refused', () => {
    const admission = admitTenant({
      object: project([asAdmin('will')]),
      live: undefined,
      user: anne,
      config: undefined,
    });
    assert.match(admission.type === 'deny' ? admission.message : '', /"anne".*add yourself/);
  });
});

describe('A write of a control plane', () => {
  const make = (purpose?: string) =>
    controlPlanes.object(
      { name: 'a', ...(purpose === undefined ? {} : { labels: { 'core.openmcp.cloud/purpose': purpose } }) },
      {},
    );
  const table = [
    { why: 'no purpose', object: make(), live: undefined, expected: 'allow' },
    { why: 'a purpose of control planes', object: make('mcp-big'), live: undefined, expected: 'allow' },
    { why: 'a purpose of the landscape', object: make('platform'), live: undefined, expected: 'deny' },
    { why: 'a purpose set later', object: make('mcp-big'), live: make(), expected: 'deny' },
    { why: 'a purpose taken away', object: make(), live: make('mcp-big'), expected: 'deny' },
    { why: 'the same purpose', object: make('mcp-big'), live: make('mcp-big'), expected: 'allow' },
  ];
  for (const { why, object, live, expected } of table) {
    it(`${why}: ${expected}`, () => assert.equal(admitControlPlane({ object, live }).type, expected));
  }
});

it('There is a rule for each kind that tenants write', () => {
  assert.deepEqual(
    admissionRules.map(({ group, plural }) => `${plural}.${group}`),
    ['projects.core.openmcp.cloud', 'workspaces.core.openmcp.cloud', 'controlplanes.core.open-control-plane.io'],
  );
});
