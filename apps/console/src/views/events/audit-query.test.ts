import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditRequestOf, hasAuditFilters } from './audit-query.ts';

const requestOf = (text: string) => auditRequestOf(new URLSearchParams(text), 'shop');

test('the address of the audit log becomes a request', () => {
  assert.deepEqual(requestOf(''), { limit: '50', fieldSelector: 'cluster=shop', from: '', to: '', before: '' });
  const { fieldSelector, before, from } = requestOf(
    'clusters=all&user=ann&outcome=denied&ns=a&name=b&page=x-1&from=2026-01-01T00:00:00Z',
  );
  assert.equal(fieldSelector, 'user=ann,namespace=a,name=b,outcome=denied');
  assert.deepEqual([before, from], ['x-1', '2026-01-01T00:00:00Z']);
});

test('what a user types cannot become another condition', () => {
  const text = `clusters=all&user=${encodeURIComponent('ann,verb=delete')}`;
  assert.equal(requestOf(text).fieldSelector, 'user=ann\\,verb\\=delete');
});

test('an address without filters has none', () => {
  assert.equal(hasAuditFilters(new URLSearchParams('clusters=all&page=x')), false);
  assert.equal(hasAuditFilters(new URLSearchParams('user=ann')), true);
});
