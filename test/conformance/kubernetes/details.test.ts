import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Answer, type Caller, type CallOptions, createCaller } from '../../security/support/caller.ts';
import {
  binding,
  boatDefinition,
  configMap,
  corePath,
  create,
  expectFailure,
  expectStatus,
  groupPath,
  pod,
  rbacPath,
  role,
} from '../../security/support/objects.ts';

const cluster = 'onboarding';
const core = corePath(cluster, 'default');
const maps = `${core}/configmaps`;
const secrets = `${core}/secrets`;
const leases = groupPath(cluster, 'coordination.k8s.io/v1', 'default/leases');
const crds = groupPath(cluster, 'apiextensions.k8s.io/v1/customresourcedefinitions');
const boats = groupPath(cluster, 'example.org/v1', 'default/boats');
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' };

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
before(async () => {
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  await create(admin, maps, configMap('here'));
  await create(admin, crds, boatDefinition());
});
after(() => closing.disposeAsync());

const secret = (parts: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...parts });
const text = 'x'.repeat(1024 * 1024 + 1);
const base64 = (value: string): string => Buffer.from(value).toString('base64');

/** What Kubernetes answers to requests that are not quite right. */
const refusals: readonly { why: string; path: string; options?: CallOptions; code: number; field?: string }[] = [
  { why: 'dryRun', path: `${maps}?dryRun=Some`, options: { body: configMap('a') }, code: 422, field: 'dryRun' },
  {
    why: 'fieldValidation',
    path: `${maps}?fieldValidation=strict`,
    options: { body: configMap('a') },
    code: 422,
    field: 'fieldValidation',
  },
  {
    why: 'a long fieldManager',
    path: `${maps}?fieldManager=${'m'.repeat(129)}`,
    options: { body: configMap('a') },
    code: 422,
    field: 'fieldManager',
  },
  {
    why: 'propagationPolicy',
    path: `${maps}/here?propagationPolicy=Nobody`,
    options: { method: 'DELETE' },
    code: 422,
    field: 'propagationPolicy',
  },
  {
    why: 'two words for orphans',
    path: `${maps}/here`,
    options: { method: 'DELETE', body: { orphanDependents: true, propagationPolicy: 'Orphan' } },
    code: 422,
    field: 'propagationPolicy',
  },
  {
    why: 'a match without a version',
    path: `${maps}?resourceVersionMatch=Exact`,
    code: 422,
    field: 'resourceVersionMatch',
  },
  {
    why: 'an unknown match',
    path: `${maps}?resourceVersion=1&resourceVersionMatch=Near`,
    code: 422,
    field: 'resourceVersionMatch',
  },
  {
    why: 'initial events without a match',
    path: `${maps}?watch=1&sendInitialEvents=yes`,
    code: 422,
    field: 'resourceVersionMatch',
  },
  {
    why: 'force of another patch',
    path: `${maps}/here?force=true`,
    options: { method: 'PATCH', body: {}, headers: merge },
    code: 422,
    field: 'force',
  },
  {
    why: 'an apply without a field manager',
    path: `${maps}/here`,
    options: { method: 'PATCH', body: configMap('here'), headers: apply },
    code: 422,
    field: 'fieldManager',
  },
  { why: 'a limit in words', path: `${maps}?limit=many`, code: 400 },
  {
    why: 'malformed protobuf',
    path: maps,
    options: { method: 'POST', body: Buffer.from('k8s\0\xff\xff\xff', 'latin1'), headers: protobuf },
    code: 400,
  },
  { why: 'bad base64', path: secrets, options: { body: secret({ data: { a: '!!!' } }) }, code: 400 },
  { why: 'a number for a text', path: maps, options: { body: { ...configMap('n'), data: { a: 1 } } }, code: 400 },
  { why: 'a ConfigMap of more than 1 MiB', path: maps, options: { body: configMap('big', { text }) }, code: 422 },
  {
    why: 'a Secret of more than 1 MiB',
    path: secrets,
    options: { body: secret({ data: { text: base64(text) } }) },
    code: 422,
    field: 'data',
  },
  {
    why: 'a basic-auth Secret without either key',
    path: secrets,
    options: { body: secret({ type: 'kubernetes.io/basic-auth' }) },
    code: 422,
    field: 'data[username]',
  },
  {
    why: 'a docker configuration that is not JSON',
    path: secrets,
    options: { body: secret({ type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('no') } }) },
    code: 422,
    field: 'data[.dockerconfigjson]',
  },
  {
    why: 'a token of no account',
    path: secrets,
    options: { body: secret({ type: 'kubernetes.io/service-account-token' }) },
    code: 422,
    field: 'metadata.annotations[kubernetes.io/service-account.name]',
  },
  {
    why: 'a PUT of an absent custom object',
    path: `${boats}/absent`,
    options: { method: 'PUT', body: { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'absent' } } },
    code: 404,
  },
];

describe('a request that is not quite right', () => {
  for (const { why, path, options = {}, code, field } of refusals)
    test(`is answered ${code}: ${why}`, async () => {
      const status = expectFailure(await admin.send(path, options), code, why);
      const { causes = [] } = (status.details ?? {}) as { causes?: { field?: string }[] };
      if (field !== undefined)
        assert.ok(
          causes.some(cause => cause.field === field),
          JSON.stringify(status),
        );
    });
});

/** A CRD of one kind, whose only version says more. */
const crdOf = (plural: string, kind: string, version: object) => {
  const crd = boatDefinition(version);
  return {
    ...crd,
    metadata: { name: `${plural}.example.org` },
    spec: { ...crd.spec, names: { plural, kind } },
  };
};
const schemaOf = (spec: object) => ({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } });
const causesOf = (answer: Answer): string[] =>
  ((expectFailure(answer, 422).details as { causes: { field: string }[] }).causes ?? []).map(({ field }) => field);

describe('a CRD', () => {
  test('may name a kind in any case', async () => {
    await create(admin, crds, crdOf('canoes', 'my-canoe', {}));
    expectStatus(await admin.send(groupPath(cluster, 'example.org/v1', 'default/canoes')), 200);
  });

  test('may make few fields selectable: scalars of its schema', async () => {
    const spec = {
      type: 'object',
      properties: { rig: { type: 'string' }, crew: { type: 'array', items: { type: 'string' } } },
    };
    const fields = ['.spec.rig', '.spec.crew', '.spec.none', '.metadata.name', '.spec.rig'];
    const selectableFields = fields.map(jsonPath => ({ jsonPath }));
    const answer = await admin.send(crds, { body: crdOf('rafts', 'Raft', { ...schemaOf(spec), selectableFields }) });
    const at = (index: number): string => `spec.versions[0].selectableFields[${index}].jsonPath`;
    assert.deepEqual(causesOf(answer), [at(1), at(2), at(3), at(4)]);
  });

  test('gets all of its faults at once', async () => {
    const crd = crdOf('skiffs', 'Skiff', schemaOf({ type: 'object', properties: { a: { type: 'nothing' } } }));
    const body = {
      ...crd,
      metadata: { name: 'other.example.org' },
      spec: { ...crd.spec, names: { plural: 'Skiffs', kind: '1' } },
    };
    const fields = causesOf(await admin.send(crds, { body }));
    for (const field of ['spec.names.plural', 'spec.names.kind', 'metadata.name'])
      assert.ok(fields.includes(field), field);
    assert.ok(
      fields.some(field => field.endsWith('properties[a].type')),
      fields.join(),
    );
  });

  test('may embed resources, whose version, kind and metadata are checked', async () => {
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    await create(admin, crds, crdOf('crates', 'Crate', schemaOf({ type: 'object', properties: { inner: embedded } })));
    const crate = (inner: object) => ({
      apiVersion: 'example.org/v1',
      kind: 'Crate',
      metadata: { generateName: 'c-' },
      spec: { inner },
    });
    const path = groupPath(cluster, 'example.org/v1', 'default/crates');
    await create(admin, path, crate({ apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 'b' } } }));
    const bad = { apiVersion: 'a/b/c', kind: 'No Kind', metadata: { name: 'a/b', labels: { 'not ok': 'x' } } };
    assert.deepEqual(causesOf(await admin.send(path, { body: crate(bad) })).sort(), [
      'spec.inner.apiVersion',
      'spec.inner.kind',
      'spec.inner.metadata.labels',
      'spec.inner.metadata.name',
    ]);
  });
});

describe('an object', () => {
  test('of a kind that allows it is created by PUT', async () => {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'put' }, spec: {} };
    expectStatus(await admin.send(`${leases}/put`, { method: 'PUT', body: lease }), 201);
    expectStatus(await admin.send(`${leases}/put`, { method: 'PUT', body: lease }), 200);
    expectFailure(await admin.send(`${maps}/put`, { method: 'PUT', body: configMap('put') }), 404);
  });

  test('may be applied as flow YAML', async () => {
    const body = '{apiVersion: v1, kind: ConfigMap, metadata: {name: flow,}, data: {a: b,},}';
    expectStatus(await admin.send(`${maps}/flow?fieldManager=me`, { method: 'PATCH', body, headers: apply }), 201);
  });

  test('that owns itself can be deleted in the foreground', async () => {
    const { uid } = (await create(admin, maps, configMap('selfish'))).metadata;
    const own = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'selfish', uid, blockOwnerDeletion: true }];
    const body = { metadata: { ownerReferences: own } };
    expectStatus(await admin.send(`${maps}/selfish`, { method: 'PATCH', body, headers: merge }), 200);
    expectStatus(await admin.send(`${maps}/selfish?propagationPolicy=Foreground`, { method: 'DELETE' }), 200);
    await eventually(async () => (await admin.send(`${maps}/selfish`)).status === 404);
  });

  test('of a built-in kind takes labels and annotations with its status, one of a custom kind does not', async () => {
    await create(admin, `${core}/pods`, pod('labelled'));
    const labels = { a: 'b' };
    const body = { metadata: { labels }, status: { phase: 'Running' } };
    const patched = await admin.send(`${core}/pods/labelled/status`, { method: 'PATCH', body, headers: merge });
    assert.deepEqual(expectStatus(patched, 200).json<{ metadata: { labels: object } }>().metadata.labels, labels);
  });
});

test('what pods of the landscape cannot do is rejected in words, not as if the path did not exist', async () => {
  for (const [subresource, what] of [
    ['exec?command=ls', 'kubectl exec'],
    ['attach', 'kubectl attach'],
    ['portforward?ports=80', 'kubectl port-forward'],
  ] as const) {
    const answer = await admin.send(`${core}/pods/any/${subresource}`, { method: 'POST' });
    const { message } = expectFailure(answer, 405, what);
    assert.ok(String(message).startsWith(`${what} is not supported on a cluster of the landscape`), answer.text);
  }
});

test('a field selector reads an absent boolean as false', async () => {
  const nodes = `/clusters/${cluster}/api/v1/nodes`;
  const node = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec });
  await create(admin, nodes, node('open', {}));
  await create(admin, nodes, node('closed', { unschedulable: true }));
  const namesOf = async (selector: string) =>
    expectStatus(await admin.send(`${nodes}?fieldSelector=${encodeURIComponent(selector)}`), 200)
      .json()
      .items?.map(({ metadata }) => metadata.name);
  assert.deepEqual(await namesOf('spec.unschedulable=false'), ['open']);
  assert.deepEqual(await namesOf('spec.unschedulable!=false'), ['closed']);
  assert.deepEqual(await namesOf('spec.unschedulable=true'), ['closed']);
});

test('the service account default comes back when it is deleted', async () => {
  const path = `${core}/serviceaccounts/default`;
  const { uid } = (await admin.send(path)).json().metadata;
  expectStatus(await admin.send(path, { method: 'DELETE' }), 200);
  await eventually(async () => {
    const answer = await admin.send(path);
    return answer.status === 200 && answer.json().metadata.uid !== uid;
  });
});

test('a patch of scale does not conflict with writers of the same object', async () => {
  const deployments = groupPath(cluster, 'apps/v1', 'default/deployments');
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { app: 'a' } }, template };
  await create(admin, deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const patch = (path: string, body: object) => admin.send(path, { method: 'PATCH', body, headers: merge });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? patch(`${deployments}/d/scale`, { spec: { replicas: index } })
        : patch(`${deployments}/d`, { metadata: { labels: { n: String(index) } } }),
    ),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});

describe('what the landscape adds to lists', () => {
  interface Browsed {
    readonly metadata: { readonly totalItemCount: number; readonly stateCounts: Readonly<Record<string, number>> };
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  }
  interface Searched {
    readonly status: {
      readonly total: number;
      readonly items: readonly { readonly name: string; displayName?: string; state: string }[];
    };
  }
  const rafts = groupPath(cluster, 'example.org/v1', 'harbour/rafts');
  const browse = async (query: string): Promise<Browsed> =>
    expectStatus(await admin.send(`${rafts}?${query}`), 200).json<Browsed>();
  const namesIn = ({ items }: Browsed): string => items.map(({ metadata }) => metadata.name).join(' ');
  const search = async (spec: object, headers: Readonly<Record<string, string>> = {}): Promise<Searched['status']> => {
    const path = groupPath(cluster, 'search.chandlery.io/v1alpha1/objectsearches');
    const body = { apiVersion: 'search.chandlery.io/v1alpha1', kind: 'ObjectSearch', spec };
    return expectStatus(await admin.send(path, { body, headers }), 201).json<Searched>().status;
  };

  before(async () => {
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const { spec, ...definition } = boatDefinition({ schema: { openAPIV3Schema: anything } });
    await create(admin, crds, {
      ...definition,
      metadata: { name: 'rafts.example.org' },
      spec: { ...spec, names: { plural: 'rafts', kind: 'Raft' } },
    });
    await eventually(async () => (await admin.send(rafts)).status === 200, { what: 'the kind Raft' });
    await create(admin, `${corePath(cluster)}/namespaces`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'harbour' },
    });
    for (const [name, labels, status] of [
      ['boat-10', { crew: 'two' }, { conditions: [{ type: 'Ready', status: 'True' }] }],
      ['boat-9', {}, { conditions: [{ type: 'Ready', status: 'False', reason: 'HullFailed', message: 'It leaks' }] }],
      ['dinghy', {}, { phase: 'Moving' }],
    ] as const)
      await create(admin, rafts, {
        apiVersion: 'example.org/v1',
        kind: 'Raft',
        metadata: { name, labels, annotations: { 'openmcp.cloud/display-name': `The ${name.split('-')[0]}` } },
        status,
      });
  });

  test('pages are sorted by a column as people count, with the counts of all', async () => {
    const first = await browse('sortBy=Name&limit=2');
    assert.equal(namesIn(first), 'boat-9 boat-10');
    assert.equal(first.metadata.totalItemCount, 3);
    assert.deepEqual(first.metadata.stateCounts, { ready: 1, failed: 1, waiting: 1 });
    assert.equal(namesIn(await browse('sortBy=Name&limit=2&offset=2')), 'dinghy');
    assert.equal(namesIn(await browse('sortBy=name&descending=true')), 'dinghy boat-10 boat-9');
    assert.equal(namesIn(await browse('sortBy=Status')), 'boat-9 dinghy boat-10');
    assert.equal(namesIn(await browse('sortBy=Age&limit=1')), 'boat-10');
  });

  test('text and state filter; selectors count as well', async () => {
    assert.equal(namesIn(await browse('search=BOAT')), 'boat-10 boat-9');
    assert.equal(namesIn(await browse('search=crew%3Dtw')), 'boat-10');
    const failed = await browse('state=failed');
    assert.equal(namesIn(failed), 'boat-9');
    assert.equal(failed.metadata.totalItemCount, 1);
    assert.deepEqual(failed.metadata.stateCounts, { ready: 1, failed: 1, waiting: 1 }, 'counts are of all states');
    assert.equal(namesIn(await browse('offset=0&labelSelector=crew%3Dtwo')), 'boat-10');
  });

  for (const query of ['sortBy=Colour', 'state=sunk', 'offset=-1', 'offset=1000001', 'offset=0&limit=1001', 'offset=x'])
    test(`${query} is rejected`, async () => {
      expectFailure(await admin.send(`${rafts}?${query}`), 400, query);
    });

  test('one search finds objects of all kinds, the most urgent first', async () => {
    const { items, total } = await search({ text: 'boat', namespace: 'harbour' });
    assert.equal(total, 2);
    assert.deepEqual(
      items.map(({ name, state }) => `${name} ${state}`),
      ['boat-9 failed', 'boat-10 ready'],
    );
    const { items: wrong } = await search({ states: ['failed'] });
    assert.deepEqual(
      wrong.map(({ name }) => name),
      ['boat-9'],
    );
    const { items: named } = await search({ text: 'boat-10', orderBy: 'name', limit: 1 });
    assert.equal(named[0]?.name, 'boat-10');
    const { items: begun } = await search({ text: 'BOAT', orderBy: 'name', limit: 2 });
    assert.deepEqual(
      begun.map(({ name }) => name),
      ['boat-9', 'boat-10'],
      'those that fit alike are in the order of urgency',
    );
    const path = groupPath(cluster, 'search.chandlery.io/v1alpha1/objectsearches');
    const { items: others } = await search({ namespace: 'harbour', except: ['rafts.example.org', 'nothing'] });
    assert.deepEqual(
      others.map(({ name }) => name),
      ['default'],
      'the service account alone',
    );
    const mistakes: readonly unknown[] = [
      ...[{ limit: 0 }, { limit: 501 }, { states: ['sunk'] }, { orderBy: 'size' }, { orderBy: 1 }],
      ...[{ text: 5 }, { states: 'failed' }, { namespace: [] }, { except: [1] }, { after: 5 }],
      ...[{ searches: {} }, { searches: ['boat'] }, 'boat', ['boat']],
    ];
    for (const spec of mistakes) expectFailure(await admin.send(path, { body: { spec } }), 400, JSON.stringify(spec));
  });

  test('a search finds the names that people gave', async () => {
    const { items } = await search({ text: 'the dinghy' });
    assert.deepEqual(
      items.map(({ name, displayName }) => [name, displayName]),
      [['dinghy', 'The dinghy']],
    );
  });

  test('a search shows nothing that its user may not list', async () => {
    const ben = { 'impersonate-user': 'ben', 'impersonate-group': 'system:authenticated' };
    assert.equal((await search({}, ben).catch(() => ({ total: 0 }))).total, 0);
    await create(
      admin,
      `${rbacPath(cluster, 'harbour')}/roles`,
      role('Role', 'rafts', [{ verbs: ['list'], apiGroups: ['example.org'], resources: ['rafts'] }]),
    );
    await create(
      admin,
      `${rbacPath(cluster, 'harbour')}/rolebindings`,
      binding('RoleBinding', 'Role/rafts', [{ kind: 'User', name: 'ben' }]),
    );
    await eventually(async () => (await search({ namespace: 'harbour' }, ben)).total === 3, {
      what: 'the rights of ben',
    });
    assert.equal((await search({ text: 'default' }, ben)).total, 0);
  });

  interface Waited {
    readonly token: string;
    readonly isUnchanged?: boolean;
    readonly results?: readonly { readonly total: number }[];
  }

  test('several searches are one request, which can wait until they find something else', async () => {
    const searches = [{ states: ['failed'] }, { text: 'boat', namespace: 'harbour' }];
    const ask = async (more: object = {}): Promise<Waited> =>
      (await search({ searches, ...more })) as unknown as Waited;
    const { token, results } = await ask();
    assert.deepEqual(
      results?.map(({ total }) => total),
      [1, 2],
    );
    assert.deepEqual(await ask({ after: token, timeoutSeconds: 0 }), { token, isUnchanged: true });
    const waiting = ask({ after: token });
    await create(admin, rafts, { apiVersion: 'example.org/v1', kind: 'Raft', metadata: { name: 'boat-11' } });
    const next = await waiting;
    assert.equal(next.results?.[1]?.total, 3);
    assert.notEqual(next.token, token);
    const path = groupPath(cluster, 'search.chandlery.io/v1alpha1/objectsearches');
    for (const spec of [{ searches: [] }, { searches: [{ limit: 0 }] }, { after: token, timeoutSeconds: 31 }])
      expectFailure(await admin.send(path, { body: { spec } }), 400, JSON.stringify(spec));
  });

  interface LookedUp {
    readonly items: readonly { readonly kind: string; readonly metadata: { readonly name: string } }[];
    readonly continue?: string;
  }
  const lookUp = async (spec: object, headers: Readonly<Record<string, string>> = {}): Promise<LookedUp> => {
    const path = groupPath(cluster, 'search.chandlery.io/v1alpha1/objectlookups');
    const body = { apiVersion: 'search.chandlery.io/v1alpha1', kind: 'ObjectLookup', spec };
    return expectStatus(await admin.send(path, { body, headers }), 201).json<{ status: LookedUp }>().status;
  };
  const foundBy = async (spec: object, headers?: Readonly<Record<string, string>>): Promise<string> =>
    (await lookUp(spec, headers)).items.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(' ');

  test('objects of all kinds are found by owner, label, namespace and name, as far as their reader may list them', async () => {
    const owner = expectStatus(await admin.send(`${rafts}/boat-9`), 200).json<{ metadata: { uid: string } }>();
    const { uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'example.org/v1', kind: 'Raft', name: 'boat-9', uid }];
    const inHarbour = `${corePath(cluster)}/namespaces/harbour`;
    const configMap = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences, labels: { crew: 'two' } },
    });
    await create(admin, `${inHarbour}/configmaps`, configMap('log'));
    assert.equal(await foundBy({ owners: [uid] }), 'ConfigMap/log');
    assert.equal(await foundBy({ labelSelectors: ['crew=two'] }), 'ConfigMap/log Raft/boat-10');
    assert.equal(await foundBy({ labelSelectors: ['crew=two,!other'], owners: [uid] }), 'ConfigMap/log Raft/boat-10');
    const dinghy = { group: 'example.org', kind: 'Raft', namespace: 'harbour', name: 'dinghy' };
    assert.equal(
      await foundBy({ objects: [dinghy, { kind: 'Namespace', name: 'harbour' }] }),
      'Namespace/harbour Raft/dinghy',
    );
    assert.match(await foundBy({ namespaces: ['harbour'] }), /ConfigMap\/log .*Raft\/boat-10 .*Raft\/dinghy/);
    assert.match(await foundBy({ groups: ['apiextensions.k8s.io'] }), /CustomResourceDefinition\/rafts\.example\.org/);
    const ben = { 'impersonate-user': 'ben', 'impersonate-group': 'system:authenticated' };
    assert.equal(
      await foundBy({ owners: [uid], objects: [dinghy], namespaces: ['harbour', 'default'] }, ben),
      'Raft/boat-10 Raft/boat-11 Raft/boat-9 Raft/dinghy',
    );
    const path = groupPath(cluster, 'search.chandlery.io/v1alpha1/objectlookups');
    for (const spec of [{}, { owners: [1] }, { objects: [{ name: 'x' }] }, { labelSelectors: ['crew'] }])
      expectFailure(await admin.send(path, { body: { spec } }), 400, JSON.stringify(spec));
  });
});
