import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertError, collection, setStage } from './support/stage.ts';
import { stageSettings } from './support/stage-document.ts';
import { startTermsServer } from './support/terms-server.ts';

const long = 'a'.repeat(33);

/** Every order breaks a rule and some that come after it. */
const firstFailures: readonly { why: string; query?: string; body: unknown; status?: number; code: number }[] = [
  { why: 'the body cannot be read', query: '', body: '{"name":', code: 17 },
  { why: 'a list', query: '', body: [], code: 17 },
  { why: 'a field of the wrong type', query: '', body: { name: 7 }, code: 17 },
  { why: 'not asynchronous', query: '', body: {}, code: 103 },
  { why: 'not exactly true', query: '?async=True', body: {}, code: 103 },
  { why: 'no name', body: { cloud_provider: 'gcp' }, code: 33 },
  { why: 'an empty name', body: { name: '', cloud_provider: 'gcp' }, code: 33 },
  { why: 'a long name', body: { name: long.toUpperCase(), cloud_provider: 'gcp' }, code: 34 },
  { why: 'capitals', body: { name: 'Rex', cloud_provider: 'gcp' }, code: 32 },
  { why: 'a digit first', body: { name: '1rex', cloud_provider: 'gcp' }, code: 32 },
  { why: 'a hyphen last', body: { name: 'rex-', cloud_provider: 'gcp' }, code: 32 },
  { why: 'a name that is taken', body: { name: 'taken', cloud_provider: 'gcp' }, status: 409, code: 36 },
  { why: 'an unknown provider', body: { name: 'a', cloud_provider: 'gcp', region: 'x', plan: 'y' }, code: 30 },
  { why: 'an unknown region', body: { name: 'a', region: 'mars', plan: 'y' }, code: 31 },
  { why: 'a plan without a size', body: { name: 'a', region: 'eu-4', plan: 'standard' }, code: 21 },
  { why: 'an unknown type', body: { name: 'a', region: 'eu-4', plan: 'huge.x1' }, code: 21 },
  { why: 'a type that the region does not have', body: { name: 'a', region: 'eu-4', multi_az: false }, code: 41 },
  { why: 'one zone', body: { name: 'a', multi_az: false, plan: 'standard.x99' }, code: 35 },
  { why: 'an unknown size', body: { name: 'a', plan: 'standard.x99', region: 'eu-3' }, code: 42 },
];

describe('Orders', () => {
  const stage = setStage();
  const order = async (token: string, body: unknown, query = '?async=true') =>
    stage.ask('POST', collection + query, { token, body });
  const total = async (): Promise<number> => {
    const { body } = await stage.ask('GET', `${collection}?size=1`, { token: await stage.user() });
    return body.total;
  };

  test('the first rule that is broken gives the code, and nothing is registered', async () => {
    await stage.order('taken');
    const before = await total();
    const token = await stage.user();
    for (const { why, query, body, status = 400, code } of firstFailures)
      assertError(await order(token, body, query), status, code, why);
    assert.equal(await total(), before);
  });

  test('an order is accepted with what was left out filled in, and unknown fields and nulls are ignored', async () => {
    const body = { name: 'defaults', cloud_provider: null, region: '', plan: null, colour: 'green' };
    const answer = await order(await stage.user(), body);
    assert.equal(answer.status, 202, answer.text);
    const { id, href, kind, status, owner, region, instance_type: type, size_id: size, expires_at: end } = answer.body;
    assert.deepEqual([kind, owner, region, type, size, end], ['Dinosaur', 'ann', 'eu-1', 'standard', 'x1', null]);
    assert.deepEqual([href, status], [`${collection}/${id}`, 'accepted']);
    assert.match(id, /^[0-9a-v]{20}$/);
    for (const name of ['a', 'b'.repeat(32), 'a-1'])
      assert.equal((await order(await stage.user(), { name })).status, 202, name);
  });

  test('a name is free for other organisations', async () => {
    const token = await stage.user('ann', { org_id: '100' });
    assert.equal((await order(token, { name: 'taken' })).status, 202);
    assertError(await order(token, { name: 'taken' }), 409, 36);
  });

  test('code 24 says which capacity is missing', async () => {
    const [first, second] = [await stage.user(), await stage.user('tess', { org_id: '900' })];
    assert.equal((await order(first, { name: 'north', region: 'eu-2' })).status, 202);
    const answers = {
      RegionFull: await order(first, { name: 'north-2', region: 'eu-2' }),
      ClusterFull: await order(first, { name: 'nowhere', region: 'eu-3' }),
      TrialLimit: [await order(second, { name: 'trial' }), await order(second, { name: 'trial-2' })][1],
    };
    for (const [detail, answer] of Object.entries(answers)) {
      assert.ok(answer !== undefined);
      assertError(answer, 403, 24, detail);
      assert.equal(answer.body.detail, detail);
    }
  });

  test('trials have an end, and may be switched off', async () => {
    const token = await stage.user('tom', { org_id: '901' });
    const { body, status, text } = await order(token, { name: 'trial' });
    assert.equal(status, 202, text);
    const hoursLeft = (Date.parse(body.expires_at ?? '') - Date.now()) / 3_600_000;
    assert.ok(body.instance_type === 'eval' && hoursLeft > 47 && hoursLeft <= 48, text);
    await stage.configure({ settings: { ...stageSettings, allow_trial_instances: false } });
    assertError(await order(await stage.user('tim', { org_id: '902' }), { name: 'trial' }), 403, 4);
    await stage.configure();
  });

  test('quota is of the organisation, else of the account, and for its own type', async () => {
    const small = await stage.user('sue', { org_id: '400' });
    assert.equal((await order(small, { name: 'only' })).status, 202);
    assertError(await order(small, { name: 'second' }), 403, 5);
    const robot = await stage.user('robot', { org_id: '903' });
    assert.equal((await order(robot, { name: 'only' })).status, 202);
    assertError(await order(robot, { name: 'second' }), 403, 5);
    assertError(await order(await stage.user('tom', { org_id: '904' }), { name: 'a', plan: 'standard.x1' }), 403, 120);
    assertError(await order(await stage.user(), { name: 'a-trial', plan: 'eval.x1' }), 403, 120);
    const named = await order(await stage.user('nora', { org_id: '500' }), { name: 'named' });
    const unnamed = await order(await stage.user('norman', { org_id: '500' }), { name: 'unnamed' });
    assert.deepEqual([named.body.instance_type, unnamed.body.instance_type], ['standard', 'eval']);
  });

  test('terms are asked for before the body is read, remembered, and 503 when the service fails', async () => {
    await using terms = await startTermsServer();
    terms.required.add('bob');
    const settings = { ...stageSettings, enable_terms_acceptance: true };
    const section = { url: terms.url, site_code: 'OCM', event_code: 'register' };
    assert.equal((await stage.configure({ settings, terms: section })).status, 200);
    const [bob, zoe, dora] = await Promise.all(['bob', 'zoe', 'dora'].map(name => stage.user(name)));
    assertError(await order(bob ?? '', '['), 403, 12);
    terms.required.clear();
    assertError(await order(bob ?? '', '['), 403, 12, 'it is remembered');
    assertError(await order(zoe ?? '', '['), 400, 17);
    assert.equal((await stage.ask('GET', collection, { token: dora })).status, 200, 'only orders need terms');
    terms.status = 500;
    const failed = await order(dora ?? '', { name: 'termless' });
    assertError(failed, 503, 503);
    assert.match(failed.headers.get('retry-after') ?? '', /^\d+$/);
    assertError(await order(zoe ?? '', '['), 400, 17, 'what is remembered needs no service');
    const questions = ['bob', 'zoe', 'dora'].map(name => ({
      account_username: name,
      site_code: 'OCM',
      event_code: 'register',
    }));
    assert.deepEqual(terms.asked, questions);
    terms.status = 200;
    assert.equal((await order(dora ?? '', { name: 'termless' })).status, 202, 'a failure is not remembered');
    await stage.configure();
  });

  test('twenty orders of one name and of the last unit have one winner each', async () => {
    const token = await stage.user('sue', { org_id: '100' });
    const sameName = await Promise.all(Array.from({ length: 20 }, () => order(token, { name: 'race' })));
    const codes = Map.groupBy(sameName, ({ status, body }) => `${status} ${body.code ?? ''}`);
    assert.deepEqual([codes.get('202 ')?.length, codes.get('409 DINOSAURS-MGMT-36')?.length], [1, 19]);
    const rivals = await Promise.all(Array.from({ length: 20 }, (_, at) => order(token, { name: `unit-${at}` })));
    const won = rivals.filter(({ status }) => status === 202).length;
    assert.equal(won, 3, 'five less the two that organisation 100 has');
    for (const answer of rivals.filter(({ status }) => status !== 202)) assertError(answer, 403, 5);
  });
});
