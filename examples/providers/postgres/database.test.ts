import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DesiredDatabase, differencesOf, type ObservedDatabase } from './database.ts';
import { sizes } from './kinds.ts';
import { isMadeOf, passwordOf } from './passwords.ts';

/** What PostgreSQL 17 stores for the password "ahoy". */
const stored =
  'SCRAM-SHA-256$4096:TrBP0kK7M+Qkb+Q0KF+klA==$dFy8B5hp8c8wEQOfDGsCXsseaQQi6fRXH0+pLYO/aL8=:huXlXZnTQz8X55+1aZ5GPXJYREKSvnmlt6vm4reWFfM=';
const desired: DesiredDatabase = {
  name: 'db_1',
  password: 'ahoy',
  size: sizes.small,
  mark: 'PostgresDatabase default/shop',
};
const role = { canLogin: true, isPrivileged: false, connections: 10, settings: ['work_mem=4MB'], stored };
const database = { owner: 'db_1', isPublic: false, mark: 'PostgresDatabase default/shop' };
const observed: ObservedDatabase = { serverVersion: '17.10', role, database, open: [] };

describe('What differs between a database and its desired state', () => {
  const cases: readonly {
    readonly why: string;
    readonly observed: ObservedDatabase;
    readonly says: readonly string[];
  }[] = [
    { why: 'all is as desired', observed, says: [] },
    {
      why: 'there is nothing',
      observed: { serverVersion: '17.10', open: ['postgres'] },
      says: ['The role "db_1" is missing.', 'The database "db_1" is missing.'],
    },
    {
      why: 'the role was changed',
      observed: { ...observed, role: { ...role, canLogin: false, isPrivileged: true, connections: 40, stored: '' } },
      says: [
        'The role "db_1" cannot log in.',
        'The role "db_1" may do more than own its database.',
        'The role "db_1" has another password.',
        'The role "db_1" has the limits of another size.',
      ],
    },
    {
      why: 'only the memory differs',
      observed: { ...observed, role: { ...role, settings: ['work_mem=64MB'] } },
      says: ['The role "db_1" has the limits of another size.'],
    },
    {
      why: 'the database was changed',
      observed: { ...observed, database: { owner: 'postgres', isPublic: true, mark: '' } },
      says: [
        'The database "db_1" belongs to "postgres".',
        'The database "db_1" is open to all roles.',
        'The database "db_1" does not say whose it is.',
      ],
    },
    {
      why: 'tenants could meet elsewhere',
      observed: { ...observed, open: ['postgres'] },
      says: ['The server\'s database "postgres" is open to tenants.'],
    },
  ];
  for (const { why, observed: found, says } of cases) {
    it(`is reported when ${why}`, () => assert.deepEqual(differencesOf(found, desired), says));
  }
});

describe('A password', () => {
  it('is the same for an identity, and another for any other identity or seed', () => {
    const password = passwordOf('seed', 'default/shop');
    assert.equal(passwordOf('seed', 'default/shop'), password);
    assert.notEqual(passwordOf('seed', 'default/shop2'), password);
    assert.notEqual(passwordOf('other', 'default/shop'), password);
    assert.match(password, /^[\w-]{43}$/);
  });

  it('is known again in what PostgreSQL stores of it', () => {
    assert.ok(isMadeOf(stored, 'ahoy'));
    assert.ok(!isMadeOf(stored, 'Ahoy'));
    assert.ok(!isMadeOf('', 'ahoy'));
    assert.ok(!isMadeOf('md5a3556571e93b0d20722ba62be61e8c2d', 'ahoy'));
  });
});
