import assert from 'node:assert/strict';
import { type OsbCase, own } from '../support/osb-player.ts';
import type { Method } from '../support/osb-target.ts';
import { bindBody, idsOf, later, provisionBody } from '../support/requests.ts';

const versions = ['2.11', '2.12', '2.13', '2.14', '2.15', '2.16', '2.17'];

/** One request of each kind. */
const endpoints: readonly { readonly method: Method; readonly path: string }[] = [
  { method: 'GET', path: '/catalog' },
  { method: 'PUT', path: '/service_instances/i' },
  { method: 'GET', path: '/service_instances/i' },
  { method: 'PATCH', path: '/service_instances/i' },
  { method: 'DELETE', path: `/service_instances/i?${idsOf('sync')}` },
  { method: 'GET', path: '/service_instances/i/last_operation' },
  { method: 'PUT', path: '/service_instances/i/service_bindings/b' },
  { method: 'GET', path: '/service_instances/i/service_bindings/b' },
  { method: 'DELETE', path: `/service_instances/i/service_bindings/b?${idsOf('sync')}` },
  { method: 'GET', path: '/service_instances/i/service_bindings/b/last_operation' },
];

const bodyFor = (method: Method) => (method === 'PUT' || method === 'PATCH' ? { body: provisionBody('sync') } : {});

/** Ids of any characters: what is reserved in paths, what is not ASCII, what looks like something else. */
const oddNames = ['a b', 'a/b', 'a%2Fb', 'a?b#c', 'dreißig ½', "~it's:@&=+$,;", '日本', '..x', '-_.~'];

export const handshakeCases: readonly OsbCase[] = [
  ...versions.map(
    version =>
      ({
        why: `version ${version} is spoken, and the broker hears it`,
        play: async osb => {
          const headers = { 'x-broker-api-version': version };
          await osb.expect(404, 'GET', osb.instance('nothing'), { headers });
          assert.equal(osb.heard('GET').headers['x-broker-api-version'], version);
          await osb.expect(own(200), 'GET', '/catalog', { headers });
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'a version that is not there yet is spoken as well: it only adds',
    play: async osb => {
      await osb.expect(404, 'GET', osb.instance('nothing'), { headers: { 'x-broker-api-version': '2.99' } });
      // The newest that was settled with the broker when it was registered.
      assert.equal(osb.heard('GET').headers['x-broker-api-version'], osb.isDirect ? '2.99' : '2.17');
    },
  },
  ...['1.0', '3.0', null].map(
    version =>
      ({
        why: `${version === null ? 'no version' : `version ${version}`}: 412 at every endpoint`,
        play: async osb => {
          for (const { method, path } of endpoints) {
            await osb.expect(own(412), method, path, {
              ...bodyFor(method),
              headers: { 'x-broker-api-version': version },
            });
          }
        },
      }) satisfies OsbCase,
  ),
  ...[null, 'Basic d3Jvbmc6d3Jvbmc=', 'Bearer wrong', 'Basic !'].map(
    authorization =>
      ({
        why: `credentials "${authorization}": 401 at every endpoint`,
        play: async osb => {
          for (const { method, path } of endpoints)
            await osb.expect(own(401), method, path, { ...bodyFor(method), headers: { authorization } });
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'the identity of a request reaches the broker and comes back',
    play: async osb => {
      const headers = { 'x-broker-api-request-identity': 'b4c2a1f0-request' };
      await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync'), headers });
      assert.equal(osb.heard('PUT').headers['x-broker-api-request-identity'], 'b4c2a1f0-request');
      assert.equal(osb.last.headers.get('x-broker-api-request-identity'), 'b4c2a1f0-request');
      await osb.expect(404, 'GET', osb.instance('nothing'), { headers });
    },
  },
  {
    why: 'the originating identity reaches the broker letter for letter, however it is written',
    play: async osb => {
      for (const identity of [
        'kubernetes eyAidXNlcm5hbWUiOiAi8J+agiJ9',
        'cloudfoundry eyJ1c2VyX2lkIjoiMSJ9',
        'odd %',
      ]) {
        const headers = { 'x-broker-api-originating-identity': identity };
        await osb.expect(404, 'GET', osb.instance('nothing'), { headers });
        assert.equal(osb.heard('GET').headers['x-broker-api-originating-identity'], identity);
      }
    },
  },
  {
    why: 'unknown fields, headers and query parameters are no mistake, and reach the broker',
    play: async osb => {
      const body = provisionBody('sync', { 'x-vendor': { deep: [1, 2] }, context: { platform: 'p', 'x-own': true } });
      await osb.expect(201, 'PUT', `${osb.instance('i')}?x-vendor=a%20b&${later}`, {
        body,
        headers: { 'x-vendor-header': 'kept' },
      });
      const { url, headers, body: text } = osb.heard('PUT');
      assert.match(url, /x-vendor=a%20b/);
      assert.equal(headers['x-vendor-header'], 'kept');
      assert.deepEqual(JSON.parse(text), body);
    },
  },
  {
    why: 'unknown fields of the broker reach the platform',
    play: async osb => {
      const body = { dashboard_url: 'http://d', 'x-vendor': { deep: [1] }, metadata: { labels: {}, other: 1 } };
      osb.broker.misbehave({ type: 'answer', status: 201, body }, { method: 'PUT' });
      assert.deepEqual(await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync') }), body);
    },
  },
  {
    why: 'a body that does not say its type is read all the same',
    play: async osb => {
      const body = JSON.stringify(provisionBody('sync'));
      await osb.expect(201, 'PUT', osb.instance('i'), { body, headers: { 'content-type': null } });
      await osb.expect(201, 'PUT', osb.instance('j'), { body, headers: { 'content-type': 'text/plain' } });
    },
  },
  ...['not JSON', '', '[]', '"text"', 'null', '{"service_id":'].map(
    body =>
      ({
        why: `the body ${JSON.stringify(body)}: 400`,
        play: async osb => {
          await osb.expect(own(400), 'PUT', osb.instance('i'), { body });
          await osb.expect(own(400), 'PATCH', osb.instance('i'), { body });
          await osb.expect(own(400), 'PUT', osb.binding('i', 'b'), { body });
          assert.equal(osb.broker.instances.has(osb.id('i')), false);
        },
      }) satisfies OsbCase,
  ),
  ...oddNames.map(
    name =>
      ({
        why: `an id like ${JSON.stringify(name)} works all its life`,
        play: async osb => {
          await osb.expect(201, 'PUT', osb.instance(name), { body: provisionBody('sync') });
          assert.ok(osb.broker.instances.has(osb.id(name)));
          await osb.expect(own(200), 'PUT', osb.instance(name), { body: provisionBody('sync') });
          await osb.expect(200, 'GET', osb.instance(name));
          await osb.expect(200, 'GET', `${osb.instance(name)}/last_operation`);
          await osb.expect(201, 'PUT', osb.binding(name, name), { body: bindBody('sync') });
          await osb.expect(200, 'GET', osb.binding(name, name));
          await osb.expect(200, 'DELETE', `${osb.binding(name, name)}?${idsOf('sync')}`);
          await osb.expect(200, 'DELETE', `${osb.instance(name)}?${idsOf('sync')}`);
          assert.equal(osb.broker.instances.has(osb.id(name)), false);
        },
      }) satisfies OsbCase,
  ),
  {
    why: 'a large body arrives whole, and so does a large answer',
    play: async osb => {
      const parameters = { list: Array.from({ length: 20_000 }, (_, index) => `${index} äöü €`) };
      await osb.expect(201, 'PUT', osb.instance('i'), { body: provisionBody('sync', { parameters }) });
      assert.deepEqual(osb.broker.instances.get(osb.id('i'))?.parameters, parameters);
      assert.deepEqual((await osb.expect(200, 'GET', osb.instance('i')))['parameters'], parameters);
    },
  },
];
