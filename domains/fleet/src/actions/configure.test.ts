import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleDocument } from '../model/configuration/test-document.ts';
import { documentOf, removeRow, updateRow } from '../registry/fleet-registry.ts';
import { rejectsFleetError } from '../test-errors.ts';
import { startTestFleet, type TestFleet } from '../test-fleet.ts';
import { configure, ensureDefaultProduct } from './configure.ts';

type Document = Record<string, unknown>;

const [frankfurt] = exampleDocument()['clusters'] as [Document];
const second = { ...frankfurt, name: 'frankfurt-2', cluster_id: 'frankfurt-2' };

const clusterOf = ({ deps }: TestFleet, id: string) => deps.registry.clusters.get(`dinosaurs.${id}`);

test('a document is in force when it resolves, with its clusters', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const { row, configuration } = fleet.product();
  assert.equal(row.status.configuredBy, 'operator');
  assert.equal(configuration.settings.scalingType, 'manual');
  const cluster = clusterOf(fleet, 'frankfurt-1');
  assert.equal(cluster?.status.state, 'ready');
  assert.equal(cluster?.spec.instanceLimit, 50);
  assert.deepEqual(cluster?.spec.supportedInstanceTypes, ['standard', 'eval']);
  await fleet.configure({ settings: { dataplane_cluster_scaling_type: 'none' } });
  assert.equal(fleet.product().configuration.settings.scalingType, 'none');
});

test('secrets are in the Secret alone', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const { row, configuration } = fleet.product();
  assert.doesNotMatch(JSON.stringify(row), /key-of/);
  assert.doesNotMatch(JSON.stringify(configuration), /key-of/);
  assert.doesNotMatch(JSON.stringify(documentOf(row)), /key-of/);
  const whole = await fleet.deps.registry.configurations.readWithSecrets(row);
  assert.equal(whole.sso.type === 'keycloak' && whole.sso.clientSecret, 'key-of-keycloak');
  assert.equal(whole.dns.type === 'route53' && whole.dns.secretAccessKey, 'key-of-route53');
});

test('a document with problems changes nothing', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const before = fleet.product().row.revision;
  const document = exampleDocument({ clusters: [second], dns: { type: 'magic' }, sso: 5 });
  const error = await rejectsFleetError(configure(fleet.deps, { document, username: 'x' }), 37);
  assert.deepEqual(error.facts.problems?.map(({ path }) => path).sort(), ['dns.type', 'sso']);
  assert.equal(fleet.product().row.revision, before);
  assert.equal(clusterOf(fleet, 'frankfurt-2'), undefined);
});

test('a commit that fails changes nothing', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const broken = { ...fleet.deps.registry, commit: () => Promise.reject(new Error('the disk is full')) };
  const document = exampleDocument({ clusters: [second] });
  await assert.rejects(configure({ ...fleet.deps, registry: broken }, { document, username: 'x' }), /the disk is full/);
  assert.deepEqual([...fleet.product().configuration.clusterIds], ['frankfurt-1']);
});

test('clusters that a document drops go when they are empty, and take nothing new otherwise', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({ clusters: [frankfurt, second] });
  await fleet.create('rex');
  await fleet.configure({ clusters: [] });
  assert.equal(clusterOf(fleet, 'frankfurt-1')?.status.state, 'ready');
  assert.equal(clusterOf(fleet, 'frankfurt-1')?.spec.schedulable, false);
  assert.equal(clusterOf(fleet, 'frankfurt-2')?.status.state, 'deprovisioning');
  await rejectsFleetError(fleet.create('other'), 24);
});

test('a dropped cluster may be added again, before and after it is gone', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  await fleet.configure({ clusters: [] });
  await fleet.configure();
  assert.equal(clusterOf(fleet, 'frankfurt-1')?.status.state, 'ready');
  await fleet.create('rex');
  await fleet.configure({ clusters: [second] });
  const dropped = clusterOf(fleet, 'frankfurt-1');
  assert.ok(dropped);
  await fleet.deps.registry.commit([removeRow('clusters', dropped)]);
  await fleet.configure();
  assert.equal(clusterOf(fleet, 'frankfurt-1')?.status.state, 'ready');
});

test('what workers know of a cluster survives a change of its limit', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const since = clusterOf(fleet, 'frankfurt-1')?.status.stateSince;
  await fleet.configure({ clusters: [{ ...frankfurt, dinosaur_instance_limit: 7 }] });
  assert.equal(clusterOf(fleet, 'frankfurt-1')?.spec.instanceLimit, 7);
  assert.equal(clusterOf(fleet, 'frankfurt-1')?.status.stateSince, since);
});

test('a document that says the same leaves its clusters alone', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const before = clusterOf(fleet, 'frankfurt-1')?.revision;
  await fleet.configure();
  assert.equal(clusterOf(fleet, 'frankfurt-1')?.revision, before);
});

test('a document of another id adds a product with clusters of its own', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  await fleet.configure({ product: { id: 'llamas', kind: 'Llama' } });
  assert.deepEqual(
    [...fleet.deps.registry.products.all()].map(({ id }) => id),
    ['dinosaurs', 'llamas'],
  );
  assert.ok(fleet.deps.registry.clusters.get('llamas.frankfurt-1'));
  assert.equal(fleet.product('llamas').configuration.product.kind, 'Llama');
});

test('concurrent documents are put into force one after the other', async () => {
  await using fleet = await startTestFleet();
  const other = await fleet.addReplica();
  await Promise.all(
    [1, 2, 3, 4].map(n => (n % 2 ? fleet : other).configure({ clusters: n > 2 ? [second] : [frankfurt] })),
  );
  const ids = [...fleet.product().configuration.clusterIds];
  const inService = [...fleet.deps.registry.clusters.all()].filter(({ status }) => status.state === 'ready');
  assert.deepEqual(
    inService.map(({ spec }) => spec.clusterId),
    ids,
  );
});

test('the built-in product is made once and keeps its program under configure', async () => {
  await using fleet = await startTestFleet();
  const program = { objects: [], operatorVersions: [{ version: '1.0.0-1', productVersions: ['1.0'] }] };
  await ensureDefaultProduct(fleet.deps, { program });
  await ensureDefaultProduct(fleet.deps);
  assert.equal(fleet.product().configuration.settings.scalingType, 'auto');
  const { status, spec } = await fleet.create('rex', { organisation: 'acme', username: 'ann' });
  assert.deepEqual([status.state, spec.plan, spec.region], ['accepted', 'standard.x1', 'local']);
  await fleet.configure();
  await ensureDefaultProduct(fleet.deps);
  assert.deepEqual(fleet.product().row.spec.program, program);
  assert.equal(fleet.product().configuration.settings.scalingType, 'manual', 'the document stays');
});

test('a configuration that somebody broke with kubectl leaves the former one in force', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const { row } = fleet.product();
  await fleet.deps.registry.commit([
    updateRow({ table: 'products', row, spec: { ...row.spec, configuration: { settings: { quota_type: 'x' } } } }),
  ]);
  assert.deepEqual([...fleet.product().configuration.clusterIds], ['frankfurt-1']);
});

test('another zone is put into force with a warning that present records stay in the former one', async () => {
  await using fleet = await startTestFleet();
  const zone = (domain: string) => ({ dns: { type: 'embedded', domain } });
  await fleet.configure(zone('one.example.com'));
  const warningsOf = async (domain: string) => {
    const { warnings } = await configure(fleet.deps, { document: exampleDocument(zone(domain)), username: 'ann' });
    return warnings.filter(({ path }) => path === 'dns').map(({ message }) => message);
  };
  assert.deepEqual(await warningsOf('two.example.com'), [], 'there are no instances yet');
  await fleet.create('rex');
  assert.deepEqual(await warningsOf('two.example.com'), [], 'it is the same zone');
  const [warning = ''] = await warningsOf('three.example.com');
  assert.match(warning, /^is another zone: 1 instances were made before, and those with a name in two\.example\.com/);
});
