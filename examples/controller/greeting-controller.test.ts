import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { isConditionTrue, SharedInformers } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { parse } from 'yaml';
import { greetings, startGreetingController } from './greeting-controller.ts';

const manifest = (file: string): KubeObject =>
  parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as KubeObject;

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const hello = { ...greetings, namespace: 'default', name: 'hello' };
const map = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default', name: 'hello' };

it('The example controller keeps its ConfigMap true', async () => {
  await using plane = await startTestPlane();
  const { client } = plane;
  await client.create(crds, manifest('crd.yaml'));
  await using informers = new SharedInformers();
  await using _controller = startGreetingController(client, informers);
  await client.create(hello, manifest('greeting.yaml'));
  await eventually(async () => isConditionTrue(await client.get(hello), 'Ready'));
  const says = async (text: string): Promise<boolean> => {
    const { data } = await client.get<KubeObject & { data?: { text?: string } }>(map);
    return data?.text === text;
  };
  assert.ok(await says('Hello, harbour!'));

  await client.patch(map, { type: 'merge', body: { data: { text: 'Go away!' } } });
  await eventually(() => says('Hello, harbour!'));
  await client.delete(map);
  await eventually(() => says('Hello, harbour!'));
  await client.patch(hello, { type: 'merge', body: { spec: { to: 'sea' } } });
  await eventually(() => says('Hello, sea!'));

  await client.delete(hello);
  await eventually(async () =>
    (await client.list({ ...map })).items.every(({ metadata }) => metadata.name !== 'hello'),
  );
});
