import assert from 'node:assert/strict';
import { realpath } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { tenantNamespace } from '@chandlery/clusters/kinds';
import { freePorts, type RunningProcess, tempFolder } from '@chandlery/testing';
import {
  controlPlane,
  foo,
  installScaffold,
  openProject,
  workspace,
} from '../scenarios/provider-validation/support/foo-shop.ts';
import {
  gone,
  isTrue,
  type LooseObject,
  type Person,
  personFromSecret,
  personWith,
  seen,
} from '../scenarios/provider-validation/support/people.ts';
import {
  beforeRetainedServices,
  checkOutEarlier,
  present,
  scaffoldBy,
  startVersion,
  updateSdk,
  whyNoHistory,
} from './support/earlier-version.ts';

const system = ['-n', 'openmcp-system'] as const;

/** What tenants have, by name and identity. */
interface Possessions {
  readonly requests: readonly string[];
  readonly services: readonly string[];
}

/** A landscape that an earlier version has written, with orders, requests and a service that was let go. */
describe('A landscape of an earlier version', { skip: await whyNoHistory(beforeRetainedServices) }, () => {
  const closing = new AsyncDisposableStack();
  let server: RunningProcess;
  let flags: readonly string[];
  let earlier: string;
  let place: string;
  let home: string;
  let operator: Person;
  let master: Person;
  let onWorkload: Person;
  /** The tenant on its own control plane, with the kubeconfig of then. */
  let owner: Person;
  let had: Possessions;

  const start = async (version: string): Promise<void> => {
    server = await startVersion(version, flags, home);
  };
  const isServing = (object: LooseObject): boolean =>
    isTrue(object, 'Ready') && object.status?.observedGeneration === object.metadata.generation;
  const serves = (name: string): Promise<LooseObject> => seen(master, ['foo', name, workspace], isServing);
  const identify = ({ kind, metadata }: LooseObject): string => `${kind} ${metadata.name} ${metadata.uid}`;
  const requestsOf = async (name: string): Promise<readonly string[]> => {
    const found = await operator.list<LooseObject>(
      'accessrequests,clusterrequests',
      '-n',
      tenantNamespace(workspace, name),
    );
    return found.map(identify).sort();
  };
  const servicesOf = async (): Promise<readonly LooseObject[]> =>
    (await onWorkload.list<LooseObject>('deployments', '-A')).filter(({ metadata }) => metadata.name === 'foo');
  const possessions = async (): Promise<Possessions> => ({
    requests: [...(await requestsOf('a')), ...(await requestsOf('b'))],
    services: (await servicesOf()).map(identify).sort(),
  });

  before(async () => {
    const folder = closing.use(await tempFolder());
    home = await realpath(folder.path);
    earlier = `${home}/earlier`;
    place = `${home}/foo`;
    await checkOutEarlier(earlier, beforeRetainedServices);
    await scaffoldBy(earlier, home, 'foo');
    const [port, xdsPort] = await freePorts(2);
    flags = ['--data-dir', `${home}/data`, '--port', `${port}`, '--xds-port', `${xdsPort}`];
    await start(earlier);
    closing.defer(() => server[Symbol.asyncDispose]());
    const kubeconfig = `${home}/data/admin.kubeconfig`;
    [operator, master] = [personWith(kubeconfig, 'platform'), personWith(kubeconfig, 'onboarding')];
    onWorkload = personWith(kubeconfig, 'workload');
    await openProject(master, 'shop', 'anne');
    await installScaffold(operator, folder);
    for (const name of ['a', 'b', 'c']) await master.apply(controlPlane(name));
    for (const name of ['a', 'b', 'c']) await master.apply(foo(name));
    await master.run(
      'patch',
      'foo',
      'c',
      '-n',
      workspace,
      '--type=merge',
      '-p',
      '{"spec":{"deletionPolicy":"Orphan"}}',
    );
    for (const name of ['a', 'b', 'c']) await serves(name);
    await master.run('delete', 'foo', 'c', '-n', workspace, '--timeout=60s');
    const file = `${home}/own-a`;
    owner = await personFromSecret(master, { name: 'token-admin.a.kubeconfig', namespace: workspace, file });
    had = await possessions();
    assert.equal(had.services.length, 3, 'two that are ordered, and one that was let go');
    assert.equal(await master.find('crd', 'retainedservices.core.chandlery.io'), undefined, 'it is an earlier version');
    await server.stop();
  });
  after(() => closing.disposeAsync());

  it('keeps its orders, requests and orphans when only the landscape is updated', async () => {
    await start(present);
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Ready'));
    await seen(
      master,
      ['project', 'shop'],
      object => isTrue(object, 'Ready') && object.status?.['cluster'] !== undefined,
    );
    for (const name of ['a', 'b', 'c'])
      await seen(master, ['controlplane', name, workspace], object => isTrue(object, 'Ready'));
    for (const name of ['a', 'b']) await serves(name);
    assert.deepEqual(await possessions(), had);
    assert.match(await owner.run('get', 'crd', 'fooitems.foo.example.com', '-o', 'name'), /fooitems/);
  });

  it('serves its orders by the earlier provider', async () => {
    await master.run('patch', 'foo', 'a', '-n', workspace, '--type=merge', '-p', '{"spec":{"greeting":"Ahoy"}}');
    await serves('a');
    await greets('first', 'Ahoy');
  });

  it('keeps all of it when the provider is updated too', async () => {
    await updateSdk(place, { from: earlier, to: present });
    const image = JSON.stringify({ spec: { image: 'example.com/foo-provider:v2' } });
    await operator.run('patch', 'serviceprovider', 'foo', '--type=merge', '-p', image);
    await seen(operator, ['serviceprovider', 'foo'], isServing);
    await master.run('patch', 'foo', 'a', '-n', workspace, '--type=merge', '-p', '{"spec":{"greeting":"Servus"}}');
    for (const name of ['a', 'b']) await serves(name);
    await greets('second', 'Servus');
    assert.deepEqual(await possessions(), had);
    const records = await operator.list<LooseObject>('accessrecords', ...system);
    assert.equal(records.filter(({ spec }) => spec?.['provider'] === 'foo').length, 4, 'a and b, on two clusters each');
  });

  it('adopts the orphan by a new order of its name, and releases it with what it needs to continue', async () => {
    const order = foo('c') as { spec: object };
    await master.apply({ ...order, spec: { ...order.spec, deletionPolicy: 'Orphan' } });
    await serves('c');
    assert.deepEqual((await possessions()).services, had.services, 'it is the same Deployment');
    await master.run('delete', 'foo', 'c', '-n', workspace, '--timeout=60s');
    await seen(master, ['retainedservice', 'foo-c', workspace], object => isTrue(object, 'Ready'));
    await master.run('delete', 'retainedservice', 'foo-c', '-n', workspace, '--timeout=60s');
    assert.equal((await servicesOf()).length, 2);
  });

  it('lets its orders go completely', async () => {
    await owner.run('delete', 'fooitems', '--all', '-A');
    for (const name of ['a', 'b']) await master.run('delete', 'foo', name, '-n', workspace, '--timeout=60s');
    for (const name of ['a', 'b', 'c'])
      await master.run('delete', 'controlplane', name, '-n', workspace, '--timeout=120s');
    await operator.run('delete', 'serviceprovider', 'foo', '--wait=false');
    await gone(operator, ['serviceprovider', 'foo']);
    const left = await operator.list<LooseObject>('accessrequests,clusterrequests,accessrecords', '-A');
    assert.deepEqual(
      left.map(identify).filter(entry => entry.includes('foo')),
      [],
    );
    await server.stop();
  });

  /** The domain service of a tenant acts on what the tenant makes on its control plane. */
  async function greets(name: string, greeting: string): Promise<void> {
    const item = { apiVersion: 'foo.example.com/v1', kind: 'FooItem', metadata: { name, namespace: 'default' } };
    await owner.apply({ ...item, spec: { name } });
    await seen(owner, ['fooitem', name, 'default'], ({ status }) => status?.['greeting'] === `${greeting}, ${name}!`);
  }
});
