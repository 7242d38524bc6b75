import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { serviceProviders } from '../kinds/index.ts';
import { admitDefinitionDeletion } from './admit-definition-deletion.ts';
import { admitFinalizers, type HeldWrite } from './admit-finalizers.ts';
import { admitOrder } from './admit-order.ts';

const group = 'foo.services.example.org';
const own = `${group}/finalizer`;
const foo = (finalizers?: string[], deletionTimestamp?: string): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Foo',
  metadata: {
    name: 'a',
    namespace: 'n',
    ...(finalizers && { finalizers }),
    ...(deletionTimestamp && { deletionTimestamp }),
  },
});
const namespace = (finalizers: string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'project-sea' },
  spec: { finalizers },
});
const anne = { username: 'anne', groups: ['system:authenticated'] };
const masters = { username: 'op', groups: ['system:masters'] };
const granted = {
  username: 'system:serviceaccount:openmcp-access:abcdefgh',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:openmcp-access'],
};
const provider = { name: 'foo', group };
const messageOf = (admission: ReturnType<typeof admitFinalizers>): string =>
  admission.type === 'deny' ? admission.message : '';

describe('A write that changes finalizers', () => {
  const table: (Partial<HeldWrite> & { why: string; object: KubeObject; expected: 'allow' | 'deny' })[] = [
    { why: 'taking off the provider’s', live: foo([own]), object: foo(), expected: 'deny' },
    { why: 'taking it off while being deleted', live: foo([own], 'now'), object: foo([], 'now'), expected: 'deny' },
    { why: 'adding the provider’s', live: foo(), object: foo([own]), expected: 'deny' },
    { why: 'creating with the provider’s', object: foo([own]), expected: 'deny' },
    { why: 'another one of the provider’s domain', live: foo([`more.${group}/x`]), object: foo(), expected: 'deny' },
    { why: 'one that the definition declares', live: foo(['odd']), object: foo(), expected: 'deny' },
    { why: 'one of the landscape', live: foo(['core.openmcp.cloud']), object: foo(), expected: 'deny' },
    { why: 'one of the landscape’s domains', live: foo(['sdk.chandlery.io/x']), object: foo(), expected: 'deny' },
    { why: 'replacing it by one of one’s own', live: foo([own]), object: foo(['anne.example/x']), expected: 'deny' },
    { why: 'one’s own', live: foo([own]), object: foo([own, 'anne.example/x']), expected: 'allow' },
    {
      why: 'that of a deletion in the foreground',
      live: foo(['foregroundDeletion']),
      object: foo(),
      expected: 'allow',
    },
    { why: 'another order of the same', live: foo([own, 'b/c']), object: foo(['b/c', own]), expected: 'allow' },
    { why: 'by the provider’s account', live: foo([own]), object: foo(), user: granted, expected: 'allow' },
    { why: 'by the operator', live: foo([own]), object: foo(), user: masters, expected: 'allow' },
    {
      why: 'of a project by the account of a provider',
      live: foo(['core.openmcp.cloud']),
      object: foo(),
      user: granted,
      provider: undefined,
      expected: 'deny',
    },
    {
      why: 'of a namespace’s spec',
      live: namespace(['kubernetes']),
      object: namespace([]),
      provider: undefined,
      expected: 'deny',
    },
    { why: 'of a new namespace', object: namespace(['kubernetes']), provider: undefined, expected: 'allow' },
    {
      why: 'none of a namespace',
      live: namespace(['kubernetes']),
      object: namespace(['kubernetes']),
      provider: undefined,
      expected: 'allow',
    },
  ];
  const owner = { ...provider, finalizers: ['odd'] };
  for (const { why, object, live, user = anne, expected, ...rest } of table) {
    const write = { object, live, user, provider: 'provider' in rest ? rest.provider : owner };
    it(`${why}: ${expected}`, () => assert.equal(admitFinalizers(write).type, expected));
  }

  it('says which finalizer, whose it is, and what to do', () => {
    const before = admitFinalizers({ object: foo([own]), live: foo(), user: anne, provider });
    assert.match(messageOf(before), /"foo\.services\.example\.org\/finalizer".*provider "foo" alone.*leave it out/);
    const during = admitFinalizers({ object: foo([], 'now'), live: foo([own], 'now'), user: anne, provider });
    assert.match(messageOf(during), /conditions of Foo "a" say what its deletion waits for/);
  });
});

const providerOf = (deletionTimestamp?: string) =>
  serviceProviders.object({ name: 'foo', ...(deletionTimestamp && { deletionTimestamp }) }, {} as never);

it('A new order is refused while its provider is being removed, and only then', () => {
  assert.equal(admitOrder({ object: foo(), provider: undefined }).type, 'allow');
  assert.equal(admitOrder({ object: foo(), provider: providerOf() }).type, 'allow');
  const rejected = admitOrder({ object: foo(), provider: providerOf('now') });
  assert.match(messageOf(rejected), /ServiceProvider "foo" is being removed and takes no new orders/);
});

describe('The deletion of a definition', () => {
  const name = `foos.${group}`;
  const definition = (annotations: Record<string, string> = {}, deletionTimestamp?: string): KubeObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, annotations, ...(deletionTimestamp && { deletionTimestamp }) },
  });
  const confirmed = { 'core.chandlery.io/confirm-deletion': name };
  const table = [
    { why: 'of a removed provider', definition: definition(), provider: undefined, expected: 'allow' },
    { why: 'of a living provider', definition: definition(), provider: providerOf(), expected: 'deny' },
    { why: 'by the operator', definition: definition(), provider: providerOf(), isOperator: true, expected: 'deny' },
    { why: 'during removal', definition: definition(), provider: providerOf('now'), expected: 'deny' },
    {
      why: 'by the operator during removal',
      definition: definition(),
      provider: providerOf('now'),
      isOperator: true,
      expected: 'allow',
    },
    { why: 'confirmed', definition: definition(confirmed), provider: providerOf(), expected: 'allow' },
    {
      why: 'confirmed by a mere yes',
      definition: definition({ 'core.chandlery.io/confirm-deletion': 'true' }),
      provider: providerOf(),
      expected: 'deny',
    },
    { why: 'that has begun', definition: definition({}, 'now'), provider: providerOf(), expected: 'allow' },
  ];
  for (const { why, expected, isOperator = false, ...rest } of table)
    it(`${why}: ${expected}`, () => assert.equal(admitDefinitionDeletion({ ...rest, isOperator }).type, expected));

  it('is refused with the way to remove the service', () => {
    const rejected = admitDefinitionDeletion({ definition: definition(), provider: providerOf(), isOperator: false });
    assert.match(messageOf(rejected), /delete ServiceProvider "foo".*confirm-deletion=foos\.foo/);
  });
});
