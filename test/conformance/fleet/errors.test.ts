import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually, freePort } from '@chandlery/testing';
import { type FleetErrorCode, fleetErrorCodes, unusedErrorCodes } from '../../../domains/fleet/src/errors.ts';
import { type Answer, base, collection, setStage } from './support/stage.ts';
import { type Json, stageSettings } from './support/stage-document.ts';
import { startTermsServer } from './support/terms-server.ts';
import { sendUnfinishedBodies } from './support/unfinished-bodies.ts';

const mebibyte = 1024 * 1024;
/** More bodies of the greatest length than the 64 that one identity may have in memory: a probe may take the place of one. */
const tooManyBodies = 72;

/** One way to each error that a request may get. */
describe('The catalogue of errors', () => {
  const stage = setStage();
  const orders = `${collection}?async=true`;
  const order = async (body: unknown, claims: Json = {}, username = 'ann'): Promise<Answer> =>
    stage.ask('POST', orders, { token: await stage.user(username, claims), body });
  const read = async (path: string, username = 'ann'): Promise<Answer> =>
    stage.ask('GET', path, { token: await stage.user(username) });
  /** Asks while other sections of the document are in force. */
  const configured = async (sections: Json, ask: () => Promise<Answer>): Promise<Answer> => {
    const { status, text } = await stage.configure(sections);
    assert.equal(status, 200, text);
    try {
      return await ask();
    } finally {
      await stage.configure();
    }
  };
  const patchAsAdmin = async (body: Json): Promise<Answer> => {
    const id = await stage.order(`patched-${Object.keys(body).length}`);
    return stage.ask('PATCH', `${base}/admin/dinosaurs/${id}`, { token: await stage.staff('full'), body });
  };
  const withTerms = async (username: string, termsStatus: number): Promise<Answer> => {
    await using terms = await startTermsServer();
    terms.required.add(username);
    terms.status = termsStatus;
    const settings = { ...stageSettings, enable_terms_acceptance: true };
    const section = { url: terms.url, site_code: 'OCM', event_code: 'register' };
    return await configured({ settings, terms: section }, () => order({ name: 'termless' }, {}, username));
  };

  const ways: Readonly<Record<FleetErrorCode, () => Promise<Answer>>> = {
    4: () => read(collection, 'mallory'),
    5: async () => {
      await order({ name: 'only' }, { org_id: '400' });
      return order({ name: 'second' }, { org_id: '400' });
    },
    6: async () => {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'configuration-parrots' } };
      const secrets = '/clusters/onboarding/api/v1/namespaces/fleet/secrets';
      const { status } = await stage.ask('POST', secrets, { token: stage.landscape.token, body });
      assert.equal(status, 201);
      return stage.configure({ product: { id: 'parrots', kind: 'Parrot' } });
    },
    7: () => read(`${collection}/nothing`),
    8: () => patchAsAdmin({ dinosaur_version: '9.9.9' }),
    9: async () => {
      const id = await stage.order('unmeasured');
      const metrics = { type: 'prometheus', url: `http://127.0.0.1:${await freePort()}` };
      return configured({ metrics }, () => read(`${collection}/${id}/metrics/query`));
    },
    10: async () => stage.ask('PUT', collection, { token: await stage.user(), body: {} }),
    11: async () => {
      const id = await stage.order('not-yours');
      return stage.ask('DELETE', `${collection}/${id}?async=true`, { token: await stage.user('ben') });
    },
    12: () => withTerms('tina', 200),
    15: () => stage.ask('GET', collection),
    17: () => order('['),
    18: () =>
      configured({ settings: { ...stageSettings, enable_access_list: true }, access_list: ['100'] }, () =>
        read(collection),
      ),
    21: () => order({ name: 'shapeless', plan: 'standard' }),
    23: () => read(`${collection}?search=name`),
    24: () => order({ name: 'nowhere', region: 'eu-3' }),
    30: () => order({ name: 'cloudy', cloud_provider: 'gcp' }),
    31: () => order({ name: 'cloudy', region: 'mars' }),
    32: () => order({ name: 'Rex' }),
    33: () => order({}),
    34: () => order({ name: 'a'.repeat(33) }),
    35: () => order({ name: 'narrow', multi_az: false }),
    36: async () => {
      await stage.order('taken');
      return order({ name: 'taken' });
    },
    37: () => patchAsAdmin({}),
    41: () => order({ name: 'untyped', region: 'eu-4' }),
    42: () => order({ name: 'huge', plan: 'standard.x99' }),
    103: async () => stage.ask('POST', collection, { token: await stage.user(), body: { name: 'hasty' } }),
    120: () => order({ name: 'entitled', plan: 'standard.x1' }, { org_id: '999' }),
    429: async () => {
      const token = await stage.user('greedy');
      const unfinished = { path: orders, token, bytes: mebibyte };
      await using _ = await sendUnfinishedBodies(stage.landscape, unfinished, tooManyBodies);
      return await eventually(async () => {
        const answer = await stage.ask('POST', orders, { token, body: '{}' });
        return answer.status === 429 ? answer : undefined;
      });
    },
    503: () => withTerms('theo', 500),
  };

  for (const [code, reach] of Object.entries(ways))
    test(`${code} is reached`, async () => {
      const { status, body, text, headers } = await reach();
      assert.deepEqual([body.kind, body.id], ['Error', code], text);
      assert.equal(status, fleetErrorCodes[Number(code) as FleetErrorCode].status, text);
      assert.ok((body.reason ?? '').length > 0 && body.code.endsWith(`-MGMT-${code}`), text);
      assert.equal(body.operation_id, headers.get('x-operation-id'));
      if (code === '429' || code === '503') assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    });

  test('lists the errors that are reached here, those that are never sent, and no others', async () => {
    const { body } = await stage.ask('GET', `${base}/errors`);
    const listed = body.items.map(({ id }) => Number(id));
    const known = [...Object.keys(ways).map(Number), ...unusedErrorCodes];
    assert.deepEqual(
      listed,
      known.toSorted((one, other) => one - other),
    );
  });
});
