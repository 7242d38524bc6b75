import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOfAnswer } from './orders-error.ts';

const answered = (message: string) => errorOfAnswer(404, JSON.stringify({ message, code: 'not-found' }));

test('of a record that does not exist, the hint names the lists', () => {
  assert.match(answered('There is no service "x"').hint ?? '', /npx chandlery service list/);
});

test('of a tenant that does not exist, the hint says what a tenant is and where they are listed', () => {
  const { code, hint = '' } = answered('namespaces "acme" not found');
  assert.equal(code, 'Orders:not-found');
  assert.match(hint, /project-PROJECT--ws-WORKSPACE.*npx chandlery workspace list/);
});
