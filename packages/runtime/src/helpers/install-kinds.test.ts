import assert from 'node:assert/strict';
import { it } from 'node:test';
import { apiError, defineKind } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { startTestPlane } from '@chandlery/testing';
import { Type } from 'typebox';
import { installKinds } from './install-kinds.ts';

const boats = defineKind({
  group: 'harbour.example.com',
  version: 'v1',
  kind: 'Boat',
  description: 'A boat.',
  spec: Type.Object({ sails: Type.Integer({ default: 1 }) }),
});

it('Installed kinds are served at once, and may be installed again', async () => {
  await using plane = await startTestPlane();
  const options = { fieldManager: 'test' };
  await installKinds(plane.client, [boats.crd], options);
  const place = { ...boats.ref, namespace: 'default' };
  const marie = await plane.client.create(place, boats.object({ name: 'marie' }, { sails: 2 }));
  await installKinds(plane.client, [boats.crd], options);
  assert.deepEqual((await plane.client.get({ ...place, name: 'marie' }))['spec'], marie.spec);
});

it('A kind whose condition is true a moment before the server answers for it is waited for', async () => {
  await using plane = await startTestPlane();
  const { client } = plane;
  let asked = 0;
  const slow: Pick<Client, 'patch' | 'get' | 'list'> = {
    patch: (...args) => client.patch(...args),
    get: (...args) => client.get(...args),
    list: (...args) => {
      asked += 1;
      if (asked < 3) return Promise.reject(apiError('NotFound', 'the server could not find the requested resource'));
      return client.list(...args);
    },
  };
  await installKinds(slow, [boats.crd], { fieldManager: 'test' });
  assert.equal(asked, 3);
});
