import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type HostileLandscape, startHostileLandscape } from './support/hostile-landscape.ts';
import {
  binding,
  configMap,
  corePath,
  create,
  expectFailure,
  expectStatus,
  rbacPath,
  role,
} from './support/objects.ts';
import { connectMany } from './support/raw-connection.ts';

const mebibyte = 1024 * 1024;
const search = '/clusters/shop/apis/search.chandlery.io/v1alpha1';
const maps = (namespace: string): string => `${corePath('shop', namespace)}/configmaps`;
/** 100 objects of 400 KB, all of one owner. */
const count = 100;
const bytes = 400_000;

let hostile: HostileLandscape;
let owner: string;

before(async () => {
  hostile = await startHostileLandscape();
  const { admin } = hostile;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'large' } };
  await create(admin, `${corePath('shop')}/namespaces`, namespace);
  owner = (await create(admin, maps('large'), configMap('owner', { a: 'x' }))).metadata.uid;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner }];
  for (let start = 0; start < count; start += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const object = configMap(`c${start + at}`, { a: 'x'.repeat(bytes) });
        return create(admin, maps('large'), { ...object, metadata: { ...object.metadata, ownerReferences } });
      }),
    );
});
after(async () => {
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});

const apiVersion = 'search.chandlery.io/v1alpha1';
const searching = (spec: object) =>
  hostile.admin.send(`${search}/objectsearches`, { body: { apiVersion, kind: 'ObjectSearch', spec } });
const lookingUp = (spec: object) =>
  hostile.admin.send(`${search}/objectlookups`, { body: { apiVersion, kind: 'ObjectLookup', spec } });

interface LookupStatus {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
  readonly continue?: string;
  readonly isIncomplete?: boolean;
}

async function lookUpAll(spec: object): Promise<readonly string[]> {
  const names: string[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const answer = expectStatus(await lookingUp({ ...spec, ...(next !== '' && { continue: next }) }), 201);
    const { status } = answer.json<{ status: LookupStatus }>();
    assert.ok(answer.text.length < 4 * mebibyte);
    names.push(...status.items.map(({ metadata }) => metadata.name));
    next = status.continue;
  }
  return names;
}

describe('40 MB of objects', () => {
  test('are looked up page by page, each object once', async () => {
    for (const spec of [{ owners: [owner] }, { owners: [owner], namespaces: ['large'] }]) {
      const names = await lookUpAll(spec);
      assert.equal(new Set(names.filter(name => /^c\d+$/.test(name))).size, count);
      assert.equal(new Set(names).size, names.length);
    }
  });

  test('are never all in memory, however many look for them at once', async () => {
    const earlier = await hostile.metric('process_resident_memory_bytes');
    const requests = Array.from({ length: 30 }, (_, at) =>
      at % 3 === 0
        ? lookingUp({ owners: [owner] })
        : at % 3 === 1
          ? lookingUp({ namespaces: ['large'] })
          : searching({ namespace: 'large', limit: 500 }),
    );
    for (const answer of await Promise.all(requests)) expectStatus(answer, 201);
    const grown = (await hostile.metric('process_resident_memory_bytes')) - earlier;
    assert.ok(grown < 500 * mebibyte, `the process grew by ${Math.round(grown / mebibyte)} MiB`);
  });

  test('are sent piece by piece by a browsed list that nobody reads', async () => {
    const path = `${maps('large')}?sortBy=Name&limit=1000`;
    const list = expectStatus(await hostile.admin.send(path), 200).json<{ items: readonly object[] }>();
    assert.equal(list.items.length, count + 1);
    const earlier = await hostile.metric('process_resident_memory_bytes');
    const sockets = await connectMany(hostile.landscape, 20);
    for (const socket of sockets) {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hostile.landscape.token}\r\n\r\n`);
    }
    for (let round = 0; round < 20; round++) expectStatus(await hostile.admin.send(`${maps('large')}/owner`), 200);
    const grown = (await hostile.metric('process_resident_memory_bytes')) - earlier;
    for (const socket of sockets) socket.destroy();
    assert.ok(grown < 500 * mebibyte, `the process grew by ${Math.round(grown / mebibyte)} MiB`);
  });
});

test('a search for a text of a megabyte is rejected', async () => {
  expectFailure(await searching({ text: 'a('.repeat(mebibyte / 2) }), 400);
});

test('searches that wait for changes are as many as one user may have', async () => {
  const { token } = expectStatus(await searching({ text: 'nothing' }), 201).json<{ status: { token: string } }>()
    .status;
  const waiting = Array.from({ length: 110 }, () => searching({ text: 'nothing', after: token, timeoutSeconds: 3 }));
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  assert.deepEqual(
    [statuses.filter(status => status === 201).length, statuses.filter(status => status === 429).length],
    [100, 10],
  );
});

test('who loses a right while a search waits sees nothing of what changes then', async () => {
  const { admin } = hostile;
  const rbac = rbacPath('shop', 'large');
  const ann = { kind: 'User', name: 'ann' } as const;
  await create(
    admin,
    `${rbac}/roles`,
    role('Role', 'reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]),
  );
  const bound = await create(admin, `${rbac}/rolebindings`, binding('RoleBinding', 'Role/reader', [ann]));
  // A member of the cluster in any case.
  await create(
    admin,
    `${rbacPath('shop')}/clusterrolebindings`,
    binding('ClusterRoleBinding', 'ClusterRole/system:basic-user', [ann]),
  );
  const asAnn = (spec: object) =>
    admin.send(`${search}/objectsearches`, {
      body: { apiVersion, kind: 'ObjectSearch', spec: { namespace: 'large', text: 'owner', ...spec } },
      headers: { 'impersonate-user': 'ann' },
    });
  interface Found {
    readonly status: { readonly token: string; readonly total?: number; readonly items?: readonly object[] };
  }
  const first = expectStatus(await asAnn({}), 201).json<Found>().status;
  assert.equal(first.total, 1);
  const waiting = asAnn({ after: first.token, timeoutSeconds: 20 });
  expectStatus(await admin.send(`${rbac}/rolebindings/${bound.metadata.name}`, { method: 'DELETE' }), 200);
  const patch = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } };
  await admin.send(`${maps('large')}/owner`, { ...patch, body: { data: { a: 'changed' } } });
  const { status } = expectStatus(await waiting, 201).json<Found>();
  assert.deepEqual([status.total, status.items], [0, []]);
});
