import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Answer, assertError, assertStatus, itemsOf, textAt, withQuery } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { registerPlatform } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/platforms';
const type = 'paged';
const fieldQuery = `type eq '${type}'`;

/** Section 9: paging. */
export function paging(stage: Stage): void {
  describe('paging', () => {
    const ids: string[] = [];
    before(async () => {
      for (let count = 0; count < 7; count++) ids.push((await registerPlatform(stage, { type })).id);
    });
    const page = (more: Readonly<Record<string, string>>) => stage.get(withQuery(path, { fieldQuery, ...more }));
    const idsOf = (answer: Answer) => itemsOf(answer).map(({ id }) => id);

    test('pages come in the order of creation, with the number of all', async () => {
      const first = await page({ max_items: '3' });
      assert.deepEqual([idsOf(first), first.body['num_items']], [ids.slice(0, 3), 7]);
      const second = await page({ max_items: '3', token: textAt(first, 'token') });
      assert.deepEqual([idsOf(second), second.body['num_items']], [ids.slice(3, 6), 7]);
      const last = await page({ max_items: '3', token: textAt(second, 'token') });
      assert.deepEqual([idsOf(last), 'token' in last.body, last.headers['link']], [ids.slice(6), false, undefined]);
    });
    test('a link leads to the next page', async () => {
      let answer = await page({ max_items: '2' });
      const found = idsOf(answer);
      while (answer.headers['link'] !== undefined) {
        const [, next = ''] = /^<(.*)>; rel="next"$/.exec(answer.headers['link']) ?? [];
        answer = await stage.get(next);
        assertStatus(answer, 200);
        found.push(...idsOf(answer));
      }
      assert.deepEqual(found, ids);
    });
    test('a page that ends with the list has no token', async () => {
      const answer = await page({ max_items: '7' });
      assert.deepEqual([itemsOf(answer).length, 'token' in answer.body], [7, false]);
    });
    test('of none only the number is told', async () =>
      assert.deepEqual((await page({ max_items: '0' })).body, { num_items: 7 }));
    outcome(stage, `GET ${path}?max_items 400 InvalidMaxItems`, 'a number that is none is refused', async () => {
      for (const max_items of ['-1', 'x', '1.5', ' 1']) assertError(await page({ max_items }), 400, 'InvalidMaxItems');
    });
    outcome(stage, `GET ${path}?token 400 TokenInvalid`, 'a token that no list gave is refused', async () => {
      for (const token of ['x', '!!!', 'MTI=', Buffer.from('1\n2\n3').toString('base64url')])
        assertError(await page({ token }), 400, 'TokenInvalid');
    });
    test('what is deleted between two pages leaves no gap, what is made later comes last', async () => {
      const first = await page({ max_items: '3' });
      assertStatus(await stage.delete(`${path}/${ids[2]}`), 200);
      assertStatus(await stage.delete(`${path}/${ids[3]}`), 200);
      const late = (await registerPlatform(stage, { type })).id;
      const rest = await page({ token: textAt(first, 'token') });
      assert.deepEqual(idsOf(rest), [...ids.slice(4), late]);
    });
    test('50 items are a page, and 200 at most', async () => {
      const labels = { 'many-platforms': ['x'] };
      await Promise.all(Array.from({ length: 201 }, () => registerPlatform(stage, { labels })));
      const many = (more: Readonly<Record<string, string>> = {}) =>
        stage.get(withQuery(path, { labelQuery: "many-platforms eq 'x'", ...more }));
      const [byDefault, most] = [await many(), await many({ max_items: '1000' })];
      assert.deepEqual([itemsOf(byDefault).length, byDefault.body['num_items']], [50, 201]);
      assert.deepEqual([itemsOf(most).length, most.body['num_items']], [200, 201]);
      assert.equal(itemsOf(await many({ token: textAt(most, 'token') })).length, 1);
    });
    test('every list has pages', async () => {
      for (const list of ['service_brokers', 'visibilities', 'service_offerings', 'service_plans', 'operations']) {
        const answer = await stage.get(`/v1/${list}?max_items=1`);
        assert.equal(itemsOf(answer).length, 1, list);
        assert.ok(Number(answer.body['num_items']) > 1 && answer.headers['link'] !== undefined, list);
      }
    });
  });
}
