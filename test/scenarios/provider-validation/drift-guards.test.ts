import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type Caller, createCaller } from '../../security/support/caller.ts';
import { takeNames } from './support/all-clusters.ts';
import { foo, installScaffold, openControlPlane, openProject, workspace } from './support/foo-shop.ts';
import { conditionOf, gone, isTrue, type LooseObject, type Person, peopleOf, seen } from './support/people.ts';
import { scaffoldProvider } from './support/scaffold.ts';

const crd = 'fooitems.foo.example.com';
const managedBy = 'openmcp.cloud/managed-by';
const ofProvider = ({ metadata }: LooseObject): boolean => metadata.labels?.[managedBy] === 'foo';
const place = ['foo', 'a', workspace] as const;
/** A change of something that the provider has applied: of the rest, server-side apply says that it is the tenant's. */
const rename = (name: string): readonly string[] => [
  '--type=json',
  '-p',
  JSON.stringify([{ op: 'replace', path: '/spec/versions/0/additionalPrinterColumns/0/name', value: name }]),
];

/** What a tenant with every right on its own control plane does to what a provider has there, with kubectl. */
describe('What a provider has on the control plane of a tenant', () => {
  const closing = new AsyncDisposableStack();
  let landscape: TestLandscape;
  let caller: Caller;
  let master: Person;
  /** The tenant on its own control plane. */
  let owner: Person;
  let unordered: readonly string[];
  /** The versions of the definition as the provider wants them. */
  let wanted: string;
  /** The spec of the definition, with all that goes into a new one. */
  let template: object;

  const versionsOf = (object: LooseObject | undefined): string => JSON.stringify(object?.spec?.['versions']);
  const restored = (): Promise<LooseObject> =>
    seen(owner, ['crd', crd], object => ofProvider(object) && versionsOf(object) === wanted);
  const definition = async (): Promise<LooseObject> =>
    (await owner.find<LooseObject>('crd', crd)) ?? assert.fail('no definition');
  const ready = (): Promise<LooseObject> => seen(master, place, object => isTrue(object, 'Ready'));
  const conflict = (): Promise<LooseObject> =>
    seen(master, place, object => conditionOf(object, 'Ready')?.reason === 'Conflict');
  const becomesUnordered = (): Promise<unknown> =>
    eventually(
      async () => {
        assert.deepEqual(await takeNames(landscape, caller), unordered);
        return true;
      },
      { timeoutMs: 120_000, pauseMs: 500, what: 'everything to be as before' },
    );

  /** The definition as another provider would have it. */
  const named = (manager: string, spec: object): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crd, labels: { [managedBy]: manager } },
    spec,
  });
  const othersVersions = (): unknown => JSON.parse(wanted.replace('"name":"Greeting"', '"name":"Others"'));

  before(async () => {
    const folder: TempFolder = closing.use(await tempFolder());
    await scaffoldProvider(folder, 'foo');
    landscape = closing.use(await startTestLandscape());
    caller = closing.use(createCaller(landscape, { token: landscape.token }));
    const people = peopleOf(landscape);
    master = people.tenant;
    await openProject(master, 'shop', 'anne');
    await installScaffold(people.operator, folder);
    // What comes back within this test comes back by watches.
    const rarely = '{"spec":{"pollInterval":"1h"}}';
    const config = 'providerconfigs.foo.services.open-control-plane.io';
    await people.operator.run('patch', config, 'foo', '--type=merge', '-p', rarely);
    owner = await openControlPlane(master, 'a', { folder });
    unordered = await takeNames(landscape, caller);
    await master.apply(foo('a'));
    await ready();
    wanted = versionsOf(await definition());
  });
  after(() => closing.disposeAsync());

  it('keeps its labels and annotations, whatever the tenant writes or removes', async () => {
    const marks = [`${managedBy}=somebody-else`, 'sdk.chandlery.io/instance=none', 'sdk.chandlery.io/handed-over=true'];
    await owner.run('label', '--overwrite', 'crd', crd, ...marks);
    await restored();
    await owner.run('label', 'crd', crd, `${managedBy}-`, 'sdk.chandlery.io/instance-');
    await restored();
    const { annotations = {} } = (await definition()).metadata;
    const own = Object.keys(annotations).filter(name => name.includes('sdk.chandlery.io/'));
    assert.ok(
      own.some(name => name.startsWith('user.')),
      'it says which order uses it',
    );
    await owner.run('annotate', 'crd', crd, ...own.map(name => `${name}-`));
    await seen(owner, ['crd', crd], ({ metadata }) => own.every(name => metadata.annotations?.[name] !== undefined));
    await ready();
  });

  it('is repaired when the tenant edits it without a label that names the provider', async () => {
    await owner.run('label', 'crd', crd, `${managedBy}-`);
    await owner.run('patch', 'crd', crd, ...rename('Mine'));
    await restored();
    // The watch is still there: a second edit is noticed as the first was.
    await owner.run('patch', 'crd', crd, ...rename('Again'));
    await restored();
  });

  it('is repaired when the tenant takes the ownership of its fields, or removes who owns them', async () => {
    const { spec } = await definition();
    await owner.applyAs('tenant', named('tenant', { ...spec, versions: othersVersions() }));
    await restored();
    const forgotten = JSON.stringify({ metadata: { managedFields: [{}] } });
    await owner.run('patch', 'crd', crd, '--type=merge', '-p', forgotten);
    await owner.run('patch', 'crd', crd, ...rename('Mine'));
    await restored();
  });

  // `kubectl delete` waits for ever when the object is back before its informer has synced: it does not compare UIDs then.
  it('comes back when the tenant deletes it, and goes with the order', async () => {
    const { metadata, spec } = await definition();
    template = spec ?? {};
    await owner.run('delete', 'crd', crd, '--wait=false');
    await seen(owner, ['crd', crd], object => object.metadata.uid !== metadata.uid && isTrue(object, 'Established'));
    await ready();
    await master.run('delete', 'foo', 'a', '-n', workspace, '--timeout=60s');
    assert.equal(await owner.find('crd', crd), undefined);
    await becomesUnordered();
  });

  for (const { cause, end } of [
    { cause: 'loses the label of another provider', end: ['label', 'crd', crd, `${managedBy}-`] },
    { cause: 'is deleted', end: ['delete', 'crd', crd, '--wait=false'] },
  ])
    it(`is a conflict where another provider's is in its place, until that ${cause}`, async () => {
      await owner.apply(named('other', { ...template, versions: othersVersions() }));
      const others = versionsOf(await definition());
      assert.notEqual(others, wanted);
      await master.apply(foo('a'));
      const { message = '' } = conditionOf(await conflict(), 'Ready') ?? {};
      assert.match(message, new RegExp(`${crd}.*is not ours: .*"other"`));
      assert.equal(versionsOf(await definition()), others, 'nothing was done to it');
      await owner.run(...end);
      await ready();
      await restored();
      await master.run('delete', 'foo', 'a', '-n', workspace, '--timeout=60s');
      await gone(master, place);
      await becomesUnordered();
    });
});
