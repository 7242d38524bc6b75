import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MeshRootCertificate, meshRootCertificates, type RootRole } from '../kinds/mesh-root-certificate.ts';
import { type RootChange, rootChangeProblem } from './admit-root-change.ts';

const root = (name: string, role: RootRole, trustDomain = 'cluster.local'): MeshRootCertificate =>
  meshRootCertificates.object({ name }, { role, trustDomain, validityDays: 1 });
const change = (name: string, before: RootRole, after: RootRole): RootChange => ({
  before: root(name, before),
  after: root(name, after),
});

const cases: readonly { why: string; roots: readonly MeshRootCertificate[]; change: RootChange; refusal?: RegExp }[] = [
  { why: 'the first root', roots: [], change: { after: root('a', 'active') } },
  { why: 'an inactive one beside two', roots: two(), change: { after: root('c', 'inactive') } },
  { why: 'a third in use', roots: two(), change: { after: root('c', 'passive') }, refusal: /at most 2/ },
  {
    why: 'a third one put into use',
    roots: [...two(), root('c', 'inactive')],
    change: change('c', 'inactive', 'passive'),
    refusal: /at most 2/,
  },
  { why: 'passive to active', roots: two(), change: change('b', 'passive', 'active') },
  { why: 'passive to inactive', roots: two(), change: change('b', 'passive', 'inactive') },
  {
    why: 'inactive to active',
    roots: [root('a', 'active'), root('b', 'inactive')],
    change: change('b', 'inactive', 'active'),
    refusal: /passive first/,
  },
  {
    why: 'active to inactive',
    roots: [root('a', 'active'), root('b', 'active')],
    change: change('b', 'active', 'inactive'),
    refusal: /passive first/,
  },
  {
    why: 'the last active one becomes passive',
    roots: two(),
    change: change('a', 'active', 'passive'),
    refusal: /at least one/,
  },
  {
    why: 'the last active one deleted',
    roots: two(),
    change: { before: root('a', 'active') },
    refusal: /at least one/,
  },
  { why: 'a passive one deleted', roots: two(), change: { before: root('b', 'passive') } },
  {
    why: 'another trust domain',
    roots: two(),
    change: { before: root('b', 'passive'), after: root('b', 'passive', 'x') },
    refusal: /trust domain/,
  },
  {
    why: 'a repair of what is already wrong',
    roots: [root('a', 'passive'), root('b', 'passive'), root('c', 'passive')],
    change: change('a', 'passive', 'active'),
  },
];

function two(): readonly MeshRootCertificate[] {
  return [root('a', 'active'), root('b', 'passive')];
}

describe('A change of the roots', () => {
  for (const { why, roots, change: wanted, refusal } of cases) {
    it(`${why}: ${refusal === undefined ? 'is allowed' : 'is rejected'}`, () => {
      const answer = rootChangeProblem(roots, wanted);
      if (refusal === undefined) assert.equal(answer, undefined);
      else assert.match(answer ?? '', refusal);
    });
  }
});
