import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, base, collection, setStage } from './support/stage.ts';
import { stageSettings, tokensOf } from './support/stage-document.ts';

const names = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];

/** Queries of the list and what they find, by name. */
const lists: readonly { query: string; finds: readonly string[]; page?: number; total?: number }[] = [
  { query: '', finds: names },
  { query: 'page=2&size=2', finds: ['charlie', 'delta'], page: 2 },
  { query: 'page=3&size=2', finds: ['echo'], page: 3 },
  { query: 'page=9', finds: [], page: 9 },
  { query: 'page=0&size=2', finds: ['alpha', 'bravo'], page: 0 },
  { query: 'page=x&size=2', finds: ['alpha', 'bravo'], page: 0 },
  { query: 'size=-1', finds: names },
  { query: 'size=65501', finds: names },
  { query: 'orderBy=name desc&size=2', finds: ['echo', 'delta'] },
  { query: 'orderBy=NAME   DESC&size=1', finds: ['echo'] },
  { query: 'orderBy=owner,name desc', finds: ['echo', 'charlie', 'alpha', 'delta', 'bravo'] },
  { query: 'search=name = alpha', finds: ['alpha'], total: 1 },
  { query: "search=name like '%25a' and owner <> ben", finds: ['alpha'], total: 1 },
  { query: 'search=owner = ben or name = echo', finds: ['bravo', 'delta', 'echo'], total: 3 },
  { query: 'search=(name = alpha OR name = bravo) AND region = eu-1', finds: ['alpha', 'bravo'], total: 2 },
  { query: "search=name in ('echo','alpha')", finds: ['alpha', 'echo'], total: 2 },
  { query: "search=name = 'é(x)'", finds: [], total: 0 },
  { query: 'search=owner = otto or owner = ben', finds: ['bravo', 'delta'], total: 2 },
];

const badLists: Readonly<Record<string, number>> = {
  'size=0': 17,
  'size=x': 17,
  'page=-1': 17,
  'orderBy=garden': 17,
  'orderBy=name up': 17,
  'orderBy=name asc now': 17,
  'search=name': 23,
  'search=name =': 23,
  'search=colour = green': 23,
  'search=(name = a': 23,
  'search=name = a)': 23,
  'search=name = a and': 23,
  'search=name = %00': 23,
  [`search=${Array.from({ length: 12 }, () => 'name = a').join(' or ')}`]: 23,
};

describe('Instances of an organisation', () => {
  const stage = setStage();
  const ids = new Map<string, string>();
  const list = async (query: string) =>
    stage.ask('GET', `${collection}?${query.replaceAll(' ', '%20')}`, { token: await stage.user() });

  before(async () => {
    const [ann, ben] = [await stage.user(), await stage.user('ben')];
    for (const [at, name] of names.entries())
      ids.set(name, await stage.order(name, { token: at % 2 === 0 ? ann : ben }));
    await stage.order('foreign', { token: await stage.user('otto', { org_id: '100' }) });
  });

  for (const { query, finds, page = 1, total = names.length } of lists) {
    test(`the list with ${query || 'no query'}`, async () => {
      const { status, body, text } = await list(query);
      assert.equal(status, 200, text);
      assert.deepEqual(
        [body.kind, body.page, body.size, body.total],
        ['DinosaurRequestList', page, finds.length, total],
      );
      assert.deepEqual(
        body.items.map(({ name }) => name),
        finds,
      );
    });
  }

  test('bad pages, orders and searches have their codes', async () => {
    for (const [query, code] of Object.entries(badLists)) assertError(await list(query), 400, code, query);
  });

  test('every field of orderBy works', async () => {
    const fields =
      'host cloud_provider cluster_id created_at href id instance_type multi_az name organisation_id owner region status updated_at version';
    for (const field of fields.split(' ')) assert.equal((await list(`orderBy=${field}`)).status, 200, field);
  });

  test('owners and administrators of the organisation give instances to known colleagues', async () => {
    const path = `${collection}/${ids.get('alpha')}`;
    const patch = async (username: string, body: unknown, claims = {}) =>
      stage.ask('PATCH', path, { token: await stage.user(username, claims), body });
    for (const body of [{}, { owner: null }, { owner: 'ann' }])
      assert.equal((await patch('ann', body)).body.owner, 'ann', JSON.stringify(body));
    assertError(await patch('ann', { owner: '' }), 400, 21);
    assertError(await patch('ann', { owner: 'stranger' }), 400, 21);
    assertError(await patch('ann', { owner: 'otto' }), 400, 21, 'known in another organisation only');
    assertError(await patch('ann', { owner: 1 }), 400, 17);
    assertError(await patch('ann', ''), 400, 17);
    assertError(await patch('ben', { owner: 'ben' }), 403, 11);
    assertError(await patch('ann', { owner: 'ben' }, { org_id: '100' }), 404, 7, 'a namesake elsewhere');
    assert.equal((await patch('olga', { owner: 'ben' }, { is_org_admin: true })).body.owner, 'ben');
    assert.equal((await patch('ben', { owner: 'ann' })).body.owner, 'ann');
  });

  test('owners and administrators of the organisation delete instances, as often as they like', async () => {
    const remove = async (name: string, username: string, claims = {}) =>
      stage.ask('DELETE', `${collection}/${ids.get(name)}?async=true`, { token: await stage.user(username, claims) });
    const path = `${collection}/${ids.get('charlie')}`;
    assertError(await stage.ask('DELETE', path, { token: await stage.user() }), 400, 103);
    assertError(await stage.ask('DELETE', `${path}?async=1`, { token: await stage.user() }), 400, 103);
    assertError(await remove('charlie', 'ben'), 403, 11);
    assertError(await remove('charlie', 'ann', { org_id: '100' }), 404, 7, 'a namesake elsewhere');
    assert.equal((await stage.ask('GET', path, { token: await stage.user() })).body.status, 'accepted');
    const removed = await remove('charlie', 'ann');
    assert.deepEqual([removed.status, removed.text], [202, '']);
    assert.equal((await remove('delta', 'olga', { is_org_admin: true })).status, 202);
    const { status, body } = await stage.ask('GET', path, { token: await stage.user() });
    assert.ok(status === 404 || ['deprovision', 'deleting'].includes(body.status), body.status);
    assert.ok([202, 404].includes((await remove('charlie', 'ann')).status));
  });

  test('unknown instances, paths and methods', async () => {
    const token = await stage.user();
    for (const id of ['nothing', 'a%00b', '..%2Fx'])
      assertError(await stage.ask('GET', `${collection}/${id}`, { token }), 404, 7, id);
    assertError(await stage.ask('GET', `${base}/garden`, { token }), 404, 7);
    const wrong = await stage.ask('PUT', collection, { token, body: {} });
    assertError(wrong, 405, 10);
    assert.equal(wrong.headers.get('allow'), 'GET, HEAD, POST');
    const slashes = await stage.ask('GET', `${collection}//`, { token });
    assert.equal(slashes.status, 200);
    assert.match(slashes.headers.get('x-operation-id') ?? '', /^[0-9a-v]{20}$/);
    assert.equal(slashes.headers.get('vary'), 'Authorization');
  });

  test('metrics of an instance come from its agent, and need integers', async () => {
    const id = ids.get('echo') ?? '';
    const token = await stage.user();
    const samples = [{ metric: { __name__: 'up', job: 'echo' }, value: 1 }];
    const reporting = { token: await stage.agent(), body: { [id]: samples } };
    assert.equal((await stage.ask('PUT', `${base}/agent-clusters/one/metrics`, reporting)).status, 204);
    const metrics = (path: string) => stage.ask('GET', `${collection}/${id}/metrics/${path}`, { token });
    for (const query of ['', '?duration=5', '?interval=5', '?duration=x&interval=5', '?duration=1.5&interval=5'])
      assertError(await metrics(`query_range${query}`), 400, 21, query);
    const range = await metrics('query_range?duration=5&interval=30');
    assert.deepEqual([range.status, range.body.kind, range.body.id], [200, 'MetricsRangeQueryList', id], range.text);
    const instant = await metrics('query?filters=up');
    assert.equal(instant.body.kind, 'MetricsInstantQueryList');
    assert.equal(instant.body.items.length, 1, instant.text);
    assert.equal((await metrics('query?filters=down')).body.items.length, 0);
    const federated = await metrics('federate');
    assert.match(federated.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(federated.text, /^up\{.*\} 1/m);
    assertError(await stage.ask('GET', `${collection}/nothing/metrics/query`, { token }), 404, 7);
  });

  test('providers and regions are listed whole, with what fits now', async () => {
    const token = await stage.user();
    const providers = (await stage.ask('GET', `${base}/cloud_providers?page=7&size=0`, { token })).body;
    assert.deepEqual(
      [providers.kind, providers.items.map(({ id, enabled }) => [id, enabled])],
      ['CloudProviderList', [['aws', true]]],
    );
    const regions = async (query = '', provider = 'aws') => {
      const { body } = await stage.ask('GET', `${base}/cloud_providers/${provider}/regions${query}`, { token });
      return body.items.map(({ id, capacity }) => [
        id,
        ...capacity.map(({ instance_type: type, available_sizes: sizes }) => `${type}: ${sizes.join()}`),
      ]);
    };
    const rest = [
      ['eu-3', 'standard: '],
      ['eu-4', 'eval: '],
    ];
    const first = ['eu-1', 'standard: x1', 'eval: x1'];
    assert.deepEqual(await regions(), [first, ['eu-2', 'standard: x1'], ...rest]);
    await stage.order('north', { body: { region: 'eu-2' } });
    assert.deepEqual(await regions(), [first, ['eu-2', 'standard: '], ...rest]);
    assert.deepEqual(
      (await regions('?instance_type=eval')).map(([id]) => id),
      ['eu-1', 'eu-4'],
    );
    assert.deepEqual(await regions('', 'gcp'), []);
  });

  test('the status tells whether there is room anywhere, and denied users that there is none', async () => {
    const status = async (username: string) =>
      (await stage.ask('GET', `${base}/status`, { token: await stage.user(username) })).text;
    const answer = (isReached: boolean) => JSON.stringify({ dinosaurs: { max_capacity_reached: isReached } });
    assert.equal(await status('ann'), answer(false));
    assert.equal(await status('mallory'), answer(true));
    await stage.configure({ clusters: [] });
    assert.equal(await status('ann'), answer(true));
    await stage.configure();
  });

  test('a second product stands beside the first with names of its own', async () => {
    const document = {
      product: { id: 'parrots', kind: 'Parrot' },
      tokens: tokensOf(stage.issuer),
      settings: stageSettings,
      clusters: [],
      registered_users_per_organisation: [
        { id: '300', any_user: true, max_allowed_instances: 3, registered_users: [] },
      ],
    };
    const done = await stage.ask('PUT', '/api/fleet_mgmt/v1/configuration', {
      token: stage.landscape.token,
      body: { ...document, settings: { ...stageSettings, dataplane_cluster_scaling_type: 'auto' } },
    });
    assert.equal(done.status, 200, done.text);
    const parrots = '/api/parrots_mgmt/v1/parrots';
    const token = await stage.user();
    const ordered = await stage.ask('POST', `${parrots}?async=true`, { token, body: { name: 'alpha' } });
    assert.deepEqual([ordered.status, ordered.body.kind], [202, 'Parrot'], ordered.text);
    assert.equal(ordered.body.href, `${parrots}/${ordered.body.id}`);
    const listed = (await stage.ask('GET', parrots, { token })).body;
    assert.deepEqual([listed.kind, listed.total], ['ParrotRequestList', 1]);
    assert.equal((await stage.ask('GET', `${parrots}/${ids.get('echo')}`, { token })).body.code, 'PARROTS-MGMT-7');
    assertError(await stage.ask('GET', `${collection}/${ordered.body.id}`, { token }), 404, 7);
    const { body } = await stage.ask('GET', '/api/parrots_mgmt/v1/openapi');
    assert.ok(body.paths[`${parrots}/{id}`] !== undefined && body.paths[collection] === undefined);
    const error = (await stage.ask('GET', '/api/parrots_mgmt/v1/errors/36')).body;
    assert.deepEqual([error.code, error.href], ['PARROTS-MGMT-36', '/api/parrots_mgmt/v1/errors/36']);
    assert.equal((await stage.ask('GET', '/api/parrots_mgmt')).body.versions[0]?.id, 'v1');
  });
});
