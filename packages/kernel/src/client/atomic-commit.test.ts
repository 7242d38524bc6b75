import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defineKind, isError, type KubeObject } from '@chandlery/api';
import type { AtomicClient, AtomicWrite, ObjectRef } from '@chandlery/client';
import { formatKey, type Store } from '../store/store.ts';
import { crds, startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';
import { createKernelClient } from './kernel-client.ts';

const boats = defineKind({
  group: 'harbour.example.com',
  version: 'v1',
  kind: 'Boat',
  description: 'A boat.',
  spec: {
    type: 'object',
    required: ['rig'],
    properties: {
      rig: { type: 'string', enum: ['sloop', 'ketch'], default: 'sloop' },
      sail: { type: 'string' },
      secret: { type: 'string' },
    },
  },
  status: { type: 'object', properties: { berth: { type: 'string' } } },
  uniqueKeys: [{ name: 'sail', within: 'cluster', values: ({ spec }) => sailsOf(spec) }],
  nameRule: 'path-segment',
  ttlSeconds: 60,
  isSecret: true,
});
const sailsOf = (spec: unknown): string[] => {
  const { sail } = spec as { sail?: string };
  return sail === undefined ? [] : [sail];
};
const collection = { ...boats.ref, namespace: 'default' };
const refOf = (name: string): ObjectRef => ({ ...collection, name });
const boat = (name: string, more: object = {}): KubeObject => ({
  apiVersion: boats.apiVersion,
  kind: 'Boat',
  metadata: { name },
  spec: {},
  ...more,
});
const creating = (object: KubeObject): AtomicWrite => ({ type: 'create', ref: collection, object });
const secretOf = (name: string, more: object): AtomicWrite => ({
  type: 'create',
  ref: { group: '', version: 'v1', plural: 'secrets', namespace: 'default' },
  object: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...more },
});

let plane: TestKernel;
let client: AtomicClient;
/** Runs once, just before the next commit reaches the store. */
let beforeCommit: (() => Promise<unknown>) | undefined;

/** Lets a test do something at the worst moment. */
function interruptible(store: Store): Store {
  return new Proxy(store, {
    get(target, property) {
      if (property === 'commit') {
        return async (...[commit]: Parameters<Store['commit']>) => {
          const interruption = beforeCommit;
          beforeCommit = undefined;
          await interruption?.();
          return target.commit(commit);
        };
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

before(async () => {
  plane = await startTestKernel({ kinds: [boats.declaration], wrap: interruptible });
  client = createKernelClient(plane.kernel, { cluster: 'onboarding' });
});
after(async () => {
  await client[Symbol.asyncDispose]();
  await plane[Symbol.asyncDispose]();
});

const commitOne = async (write: AtomicWrite): Promise<KubeObject> =>
  (await client.commit([write]))[0] ?? assert.fail('nothing came of it');
const isThere = (name: string): Promise<boolean> =>
  client.get(refOf(name)).then(
    () => true,
    () => false,
  );

describe('a commit of new objects', () => {
  test('stores spec and status, with consecutive revisions, and answers what a get answers', async () => {
    const results = await client.commit([
      creating(boat('pair-a', { spec: { secret: 'x' }, status: { berth: 'n1' } })),
      { type: 'check', ref: refOf('pair-none'), expect: 'absent' },
      creating(boat('pair-b')),
    ]);
    const [a, check, b] = results;
    assert.equal(check, undefined);
    assert.equal(Number(b?.metadata.resourceVersion), Number(a?.metadata.resourceVersion) + 1);
    assert.deepEqual(await client.get(refOf('pair-a')), a);
    assert.deepEqual(await client.get(refOf('pair-b')), b);
    assert.deepEqual([a?.['status'], b?.['spec']], [{ berth: 'n1' }, { rig: 'sloop' }]);
    assert.deepEqual([a?.metadata.generation, a?.metadata.managedFields], [1, undefined]);
    assert.match(a?.metadata.uid ?? '', /^[0-9a-f-]{36}$/);
  });

  test('leaves the given object as it is, and shares nothing with it', async () => {
    const given = boat('given', { spec: { unknown: 1 } });
    const copy = structuredClone(given);
    const stored = await commitOne(creating(given));
    assert.deepEqual(given, copy);
    assert.notEqual(stored['spec'], given['spec']);
    assert.deepEqual(stored['spec'], { rig: 'sloop' });
  });

  test('is seen by watchers, in order', async () => {
    const { metadata } = await client.list(collection);
    await client.commit([creating(boat('seen-b')), creating(boat('seen-a'))]);
    const seen: string[] = [];
    const { resourceVersion = '' } = metadata;
    for await (const { object } of client.watch(collection, { resourceVersion })) {
      seen.push(object.metadata.name ?? '');
      if (seen.length === 2) break;
    }
    assert.deepEqual(seen, ['seen-b', 'seen-a']);
  });

  test('seals what is secret, and lets it expire', async () => {
    await commitOne(creating(boat('sealed', { spec: { secret: 'hunter2' } })));
    const key = { cluster: 'onboarding', resource: 'harbour.example.com/boats', namespace: 'default', name: 'sealed' };
    const stored = await plane.store.get(key);
    assert.ok(stored !== undefined && !Buffer.from(stored.value.bytes).includes('hunter2'));
    const later = plane.clock.now().getTime() + 61_000;
    const expired = (await plane.store.expired(later, 1000)).map(object => formatKey(object.key));
    assert.ok(expired.includes(formatKey(key)));
  });

  test('folds the texts of a Secret', async () => {
    const secret = await commitOne(secretOf('folded', { stringData: { key: 'text' } }));
    assert.deepEqual(secret['data'], { key: Buffer.from('text').toString('base64') });
    assert.equal(secret['stringData'], undefined);
    await assert.rejects(client.commit([secretOf('odd', { data: { 'a b': '' } })]), { code: 'Invalid' });
  });
});

describe('a commit that cannot be', () => {
  before(async () => void (await client.commit([creating(boat('taken', { spec: { sail: 'GER|1' } }))])));

  const at = (more: object): ObjectRef => ({ ...refOf('x'), ...more });
  const cases: readonly { why: string; write: AtomicWrite; code: string }[] = [
    { why: 'the name is taken', write: creating(boat('taken')), code: 'AlreadyExists' },
    { why: 'the schema refuses it', write: creating(boat('odd', { spec: { rig: 'yawl' } })), code: 'Invalid' },
    { why: 'the name is none', write: creating(boat('a/b')), code: 'Invalid' },
    { why: 'it has no name', write: creating(boat('')), code: 'BadRequest' },
    { why: 'it is of another kind', write: creating(boat('odd', { kind: 'Ship' })), code: 'BadRequest' },
    {
      why: 'the namespace does not exist',
      write: { type: 'create', ref: { ...collection, namespace: 'nowhere' }, object: boat('x') },
      code: 'NotFound',
    },
    {
      why: 'the kind does not exist',
      write: { type: 'create', ref: { ...collection, plural: 'ships' }, object: boat('x') },
      code: 'NotFound',
    },
    {
      why: 'the kind has rules of its own',
      write: {
        type: 'create',
        ref: { group: '', version: 'v1', plural: 'namespaces' },
        object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } },
      },
      code: 'BadRequest',
    },
    {
      why: 'it is about a sub-resource',
      write: { type: 'replace', ref: at({ subresource: 'status' }), object: boat('x'), resourceVersion: '1' },
      code: 'BadRequest',
    },
    {
      why: 'what is to be replaced is missing',
      write: { type: 'replace', ref: refOf('missing'), object: boat('missing'), resourceVersion: '1' },
      code: 'NotFound',
    },
    { why: 'what is to be removed is missing', write: { type: 'remove', ref: refOf('missing') }, code: 'NotFound' },
    {
      why: 'the version to be removed no longer exists',
      write: { type: 'remove', ref: refOf('taken'), resourceVersion: '1' },
      code: 'Conflict',
    },
    {
      why: 'the version to be replaced no longer exists',
      write: { type: 'replace', ref: refOf('taken'), object: boat('taken'), resourceVersion: '1' },
      code: 'Conflict',
    },
    {
      why: 'a check finds nothing',
      write: { type: 'check', ref: refOf('missing'), expect: 'present' },
      code: 'Conflict',
    },
    {
      why: 'a check finds something',
      write: { type: 'check', ref: refOf('taken'), expect: 'absent' },
      code: 'Conflict',
    },
    {
      why: 'a check finds another version',
      write: { type: 'check', ref: refOf('taken'), expect: { resourceVersion: '1' } },
      code: 'Conflict',
    },
    {
      why: 'a check names no version',
      write: { type: 'check', ref: refOf('taken'), expect: { resourceVersion: 'x' } },
      code: 'BadRequest',
    },
  ];
  for (const { why, write, code } of cases) {
    test(`leaves nothing behind: ${why}`, async () => {
      await assert.rejects(client.commit([creating(boat('beside')), write]), { code });
      assert.equal(await isThere('beside'), false);
    });
  }

  test('names the unique value that another object holds', async () => {
    const wish = boat('other', { spec: { sail: 'GER|1' } });
    await assert.rejects(client.commit([creating(wish)]), thrown => {
      assert.ok(isError(thrown, 'UniqueViolation'));
      assert.deepEqual(thrown.details, { kind: 'sail', name: 'GER|1' });
      return true;
    });
    // Other writes have no code of their own for it.
    await assert.rejects(client.create(collection, wish), { code: 'Conflict' });
  });

  test('names a unique value of several parts without the marks of JSON', async () => {
    const sail = JSON.stringify(['GER', '1']);
    await client.create(collection, boat('parts', { spec: { sail } }));
    await assert.rejects(client.create(collection, boat('same-parts', { spec: { sail } })), /holds sail "GER\/1"/);
  });

  test('writes an object once only', async () => {
    const write = creating(boat('twice'));
    const check: AtomicWrite = { type: 'check', ref: refOf('twice'), expect: 'absent' };
    await assert.rejects(client.commit([write, check]), { code: 'BadRequest' });
  });

  test('is for the landscape itself only', async () => {
    await using tenant = createKernelClient(plane.kernel, {
      cluster: 'onboarding',
      user: { username: 'jane', groups: ['system:authenticated'] },
    });
    await assert.rejects(tenant.commit([creating(boat('janes'))]), { code: 'Forbidden' });
  });

  test('fails when the client is closed', async () => {
    const closed = createKernelClient(plane.kernel, { cluster: 'onboarding' });
    await closed[Symbol.asyncDispose]();
    await assert.rejects(closed.commit([creating(boat('late'))]), { code: 'ConnectionFailed' });
  });
});

describe('a replacement', () => {
  const replacing = (known: KubeObject, object: KubeObject): AtomicWrite => ({
    type: 'replace',
    ref: refOf(known.metadata.name ?? ''),
    object,
    resourceVersion: known.metadata.resourceVersion ?? '',
  });

  test('keeps what the server owns and takes everything else', async () => {
    const known = await client.create(collection, boat('whole', { metadata: { name: 'whole', labels: { a: 'b' } } }));
    const wanted = boat('whole', { spec: { rig: 'ketch' }, status: { berth: 'n1' } });
    const next = await commitOne(replacing(known, wanted));
    assert.deepEqual(await client.get(refOf('whole')), next);
    const { uid, creationTimestamp, managedFields, generation } = next.metadata;
    assert.deepEqual(
      { uid, creationTimestamp, managedFields, generation },
      {
        uid: known.metadata.uid,
        creationTimestamp: known.metadata.creationTimestamp,
        managedFields: known.metadata.managedFields,
        generation: 2,
      },
    );
    assert.deepEqual([next.metadata.labels, next['status']], [undefined, { berth: 'n1' }]);
  });

  test('of the status alone leaves the generation', async () => {
    const known = await commitOne(creating(boat('steady')));
    const next = await commitOne(replacing(known, { ...known, status: { berth: 'n2' } }));
    assert.deepEqual([next.metadata.generation, next['status']], [1, { berth: 'n2' }]);
  });

  test('does not hit another object of the same name', async () => {
    const known = await commitOne(creating(boat('reborn')));
    const other = { ...known, metadata: { ...known.metadata, uid: '00000000-0000-4000-8000-000000000001' } };
    await assert.rejects(client.commit([replacing(known, other)]), { code: 'Conflict' });
  });

  test('that lets go of a terminating object is its end', async () => {
    const held = boat('held', { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await commitOne(creating(held));
    await client.delete(refOf('held'));
    const going = await client.get(refOf('held'));
    const last = await commitOne(replacing(going, boat('held')));
    assert.equal(last.metadata.deletionTimestamp, going.metadata.deletionTimestamp);
    assert.equal(await isThere('held'), false);
  });

  test('may hand a unique value to another object', async () => {
    const from = await commitOne(creating(boat('from', { spec: { sail: 'FRA 1' } })));
    await client.commit([creating(boat('to', { spec: { sail: 'FRA 1' } })), replacing(from, boat('from'))]);
    assert.deepEqual((await client.get(refOf('to')))['spec'], { rig: 'sloop', sail: 'FRA 1' });
  });
});

describe('a removal', () => {
  test('happens at once, whatever holds the object, and answers its last state', async () => {
    const held = boat('anchored', { metadata: { name: 'anchored', finalizers: ['example.com/hold'] } });
    const known = await commitOne(creating(held));
    const last = await commitOne({ type: 'remove', ref: refOf('anchored') });
    assert.equal(await isThere('anchored'), false);
    assert.ok(Number(last.metadata.resourceVersion) > Number(known.metadata.resourceVersion));
    const { resourceVersion: _, ...metadata } = last.metadata;
    const { resourceVersion: __, ...knownMetadata } = known.metadata;
    assert.deepEqual(metadata, knownMetadata);
  });

  test('takes a version that was written meanwhile', async () => {
    await commitOne(creating(boat('moving')));
    beforeCommit = () =>
      client.patch({ ...refOf('moving'), subresource: 'status' }, { type: 'merge', body: { status: { berth: 'n3' } } });
    const last = await commitOne({ type: 'remove', ref: refOf('moving') });
    assert.deepEqual(last['status'], { berth: 'n3' });
    assert.equal(await isThere('moving'), false);
  });

  test('of a known version does not', async () => {
    const { metadata } = await commitOne(creating(boat('pinned')));
    beforeCommit = () => client.patch(refOf('pinned'), { type: 'merge', body: { spec: { rig: 'ketch' } } });
    const { resourceVersion = '' } = metadata;
    await assert.rejects(client.commit([{ type: 'remove', ref: refOf('pinned'), resourceVersion }]), {
      code: 'Conflict',
    });
    assert.equal(await isThere('pinned'), true);
  });
});

describe('what changes while a commit is under way', () => {
  test('a namespace that is written to does not matter', async () => {
    const namespace = await plane.newNamespace();
    const ref = { ...collection, namespace };
    await client.commit([{ type: 'create', ref, object: boat('first') }]);
    beforeCommit = () =>
      client.patch(
        { group: '', version: 'v1', plural: 'namespaces', name: namespace },
        { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
      );
    const [result] = await client.commit([{ type: 'create', ref, object: boat('second') }]);
    assert.equal(result?.metadata.namespace, namespace);
  });

  test('a kind that is changed is asked again', async () => {
    const ref = { group: 'example.org', version: 'v1', plural: 'rafts', namespace: 'default' };
    await plane.create(crds, testCrd('rafts'));
    const raft = (name: string): AtomicWrite => ({
      type: 'create',
      ref,
      object: { apiVersion: 'example.org/v1', kind: 'Raft', metadata: { name }, spec: { logs: 3 } },
    });
    assert.deepEqual((await commitOne(raft('first')))['spec'], { logs: 3 });
    beforeCommit = () =>
      plane.change(crds, 'rafts.example.org', crd => {
        const { versions } = crd['spec'] as { versions: { schema: { openAPIV3Schema: object } }[] };
        for (const version of versions) version.schema.openAPIV3Schema = { type: 'object' };
      });
    assert.equal((await commitOne(raft('second')))['spec'], undefined);
  });
});

test('an empty commit is no commit', async () => {
  assert.deepEqual(await client.commit([]), []);
});
