import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { typeUrls } from '../../../../domains/mesh/src/model/resource.ts';
import { offer, setSplit } from '../support/declare-service.ts';
import { fetchResources } from '../support/fetch-resources.ts';
import type { MeshLandscape } from '../support/mesh-landscape.ts';
import { ips } from '../support/samples.ts';

/** Fetches over REST. */
export function describeFetching(mesh: () => MeshLandscape): void {
  const ask = (account: string, path: string, body: unknown) => fetchResources(mesh(), { account }, { path, body });
  const endpoints = '/v3/discovery:endpoints';

  describe('REST', () => {
    test('21a. responds with 200 and the resources, and with 304 when the client has them', async () => {
      const name = await offer(mesh(), { name: 'books-21', from: ['web-21'], endpoints: ips(1) });
      const node = { id: 'web-21' };
      const { status, body } = await ask('web-21', endpoints, { node, resource_names: [name] });
      assert.equal(status, 200);
      const [resource] = body.resources ?? [];
      assert.equal(resource?.['@type'], typeUrls.endpoints);
      assert.equal(resource?.['cluster_name'], name);
      const again = { node, resourceNames: [name], versionInfo: body.version_info };
      const { status: unchanged, text } = await ask('web-21', endpoints, again);
      assert.deepEqual([unchanged, text], [304, '']);
    });

    test('21b. responds with 400 to an unreadable request, and with 404 to an unknown path', async () => {
      for (const [why, body] of [
        ['no body', ''],
        ['no JSON', '{"node":'],
        ['a list', []],
        ['names that are none', { node: { id: 'web-21' }, resource_names: 'all' }],
        ['no node', { resource_names: ['a'] }],
        ['another type', { node: { id: 'web-21' }, type_url: typeUrls.cluster }],
      ] as const) {
        assert.equal((await ask('web-21', endpoints, body)).status, 400, why);
      }
      for (const path of ['/v3/discovery:everything', '/v2/discovery:endpoints', '/']) {
        assert.equal((await ask('web-21', path, { node: { id: 'web-21' } })).status, 404, path);
      }
    });

    test('21c. never responds with 304 to a client with other content: a split divides the same endpoints', async () => {
      const from = ['web-21c'];
      const root = await offer(mesh(), { name: 'root-21', from, endpoints: ips(1) });
      await offer(mesh(), { name: 'one-21', from, endpoints: ips(2) });
      await offer(mesh(), { name: 'two-21', from, endpoints: ips(3) });
      const body = { node: { id: 'web-21c' }, resource_names: [root] };
      const before = (await ask('web-21c', endpoints, body)).body;
      await setSplit(mesh().client, 'root-21', { 'one-21': 1, 'two-21': 3 });
      await eventually(async () => {
        const { resources } = (await ask('web-21c', endpoints, body)).body;
        return JSON.stringify(resources) !== JSON.stringify(before.resources);
      });
      const { status } = await ask('web-21c', endpoints, { ...body, version_info: before.version_info });
      assert.equal(status, 200);
    });
  });
}
