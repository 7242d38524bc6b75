import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetError } from '../../errors.ts';
import { type InstanceFields, searchColumns } from './instance-columns.ts';
import { compileSearch } from './match-search.ts';
import { parseSearch } from './parse-search.ts';

const row = (fields: {
  name?: string;
  owner?: string;
  region?: string;
  state?: 'ready' | 'failed';
}): InstanceFields => ({
  id: 'x',
  createdAt: '2026-01-01T00:00:00.000000Z',
  updatedAt: '2026-01-01T00:00:00.000000Z',
  spec: {
    product: 'dinosaurs',
    organisation: 'acme',
    name: fields.name ?? 'rex',
    owner: fields.owner ?? 'ann',
    cloudProvider: 'aws',
    region: fields.region ?? 'eu-1',
  },
  status: { state: fields.state ?? 'ready' },
});

const matches = (search: string, fields: Parameters<typeof row>[0]): boolean => {
  const expression = parseSearch(search, searchColumns);
  return expression === undefined || compileSearch(expression)(row(fields));
};

const accepted: readonly { search: string; on: Parameters<typeof row>[0]; is: boolean }[] = [
  { search: '', on: {}, is: true },
  { search: 'name = rex', on: {}, is: true },
  { search: 'NAME=rex', on: {}, is: true },
  { search: 'name <> rex', on: {}, is: false },
  { search: 'name like re%', on: {}, is: true },
  { search: 'name like RE%', on: {}, is: false },
  { search: 'name ilike RE%', on: {}, is: true },
  { search: 'name like r_x', on: {}, is: true },
  { search: "name in (a, 'rex' ,b)", on: {}, is: true },
  { search: 'name not in (a,rex)', on: {}, is: false },
  { search: "name = 'a (b) = c'", on: { name: 'a (b) = c' }, is: true },
  { search: "name = 'Grüße 🦕'", on: { name: 'Grüße 🦕' }, is: true },
  { search: "name like 'Gr_ße _'", on: { name: 'Grüße 🦕' }, is: true },
  { search: String.raw`name = 'o\'hara'`, on: { name: "o'hara" }, is: true },
  { search: String.raw`name = 'a\b' and owner = 'x'`, on: { name: String.raw`a\b`, owner: 'x' }, is: true },
  { search: 'name = a^b', on: { name: 'a^b' }, is: true },
  { search: 'name = a,b', on: { name: 'a,b' }, is: true },
  { search: 'name = and and owner = ann', on: { name: 'and' }, is: true },
  { search: 'region = us or name = rex and owner = ann', on: {}, is: true },
  { search: '(region = us or name = rex) and owner = bob', on: {}, is: false },
  { search: 'status = ready', on: {}, is: true },
];

for (const { search, on, is } of accepted) {
  test(`search ${JSON.stringify(search)} is ${is} for ${JSON.stringify(on)}`, () => {
    assert.equal(matches(search, on), is);
  });
}

const rejected: readonly { search: string; reason: RegExp }[] = [
  { search: 'garden = rex', reason: /\[1\].*invalid column name: 'garden'/ },
  { search: 'organisation_id = acme', reason: /\[1\].*invalid column name/ },
  { search: 'name', reason: /\[5\].*unexpected end/ },
  { search: 'name =', reason: /\[7\].*unexpected end/ },
  { search: 'name = rex and', reason: /\[15\].*unexpected end/ },
  { search: 'name = rex owner = ann', reason: /\[12\].*unexpected token 'owner'/ },
  { search: 'name > rex', reason: /\[6\].*unexpected token '>'/ },
  { search: 'name not like rex', reason: /\[10\].*unexpected token 'like'/ },
  { search: 'name = rex)', reason: /\[11\].*unexpected token '\)'/ },
  { search: '(name = rex', reason: /\[12\].*unexpected end of the search while looking for '\)'/ },
  { search: 'name in ()', reason: /\[10\].*unexpected token '\)'/ },
  { search: 'name in (a b)', reason: /\[12\].*unexpected token 'b'/ },
  { search: "name = 'rex", reason: /\[12\].*quoted value/ },
  { search: "name = 'Grüße' x", reason: /\[16\].*unexpected token 'x'/ },
  { search: "'name' = rex", reason: /\[1\].*unexpected token 'name'/ },
  { search: 'name = re\0x', reason: /\[10\].*NUL/ },
  { search: Array.from({ length: 12 }, () => 'name = a').join(' or '), reason: /joins \(10\) exceeded/ },
  { search: `${Array.from({ length: 11 }, () => 'name = a').join(' or ')} and name not in (b)`, reason: /joins/ },
  { search: `${'('.repeat(10_000)}name = a`, reason: /parentheses within each other/ },
];

for (const { search, reason } of rejected) {
  test(`search ${JSON.stringify(search.slice(0, 60))} is rejected with ${reason}`, () => {
    assert.throws(
      () => matches(search, {}),
      (error: unknown) => error instanceof FleetError && error.number === 23 && reason.test(error.message),
    );
  });
}

test('ten joins are accepted', () => {
  assert.equal(matches(Array.from({ length: 11 }, () => 'name = rex').join(' AND '), {}), true);
});
