import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mayHaveSite, type SiteDomains } from './site-domains.ts';

describe('the domains of sites', () => {
  const some: SiteDomains = { 'acme.example': ['acme'], 'shared.acme.example': ['acme', 'other'] };
  const closed: SiteDomains = { ...some, '*': ['default'] };
  const cases: readonly (readonly [why: string, domains: SiteDomains, host: string, tenant: string, may: boolean])[] = [
    ['nothing is set', {}, 'a.example', 'other', true],
    ['the domain is its own', some, 'acme.example', 'acme', true],
    ['the host is below its domain', some, 'a.b.acme.example', 'acme', true],
    ["the domain is another's", some, 'a.acme.example', 'other', false],
    ['the longer domain decides', some, 'a.shared.acme.example', 'other', true],
    ['a name only ends alike', some, 'notacme.example', 'other', true],
    ['others are open', some, 'a.example', 'other', true],
    ['others are closed', closed, 'a.example', 'other', false],
    ['others are for somebody', closed, 'a.example', 'default', true],
    ['a name of every object is no domain', closed, 'constructor', 'other', false],
  ];
  for (const [why, domains, host, tenant, may] of cases)
    test(`${tenant} ${may ? 'may' : 'may not'} have ${host}: ${why}`, () =>
      assert.equal(mayHaveSite(domains, host, tenant), may));
});
