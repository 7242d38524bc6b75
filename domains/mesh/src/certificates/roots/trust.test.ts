import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { createCertificateAuthority } from '@chandlery/platform';
import fc from 'fast-check';
import type { RootRole } from '../../kinds/mesh-root-certificate.ts';
import { splitBundle } from '../verify-peer.ts';
import { type Root, trustOf } from './trust.ts';

const now = new Date();
const authority = createCertificateAuthority({ commonName: 'mesh', now });

const root = (name: string, role: RootRole, more: Partial<Root> = {}): Root => ({
  name,
  role,
  trustDomain: 'cluster.local',
  createdAt: '2030-01-01T00:00:00Z',
  fingerprint: `print-of-${name}`,
  authority: { ...authority, certificatePem: authority.certificatePem.replace('\n', `\n${name}\n`) },
  ...more,
});

describe('Trust', () => {
  it('is in all roots that are not inactive, oldest first', () => {
    const trust = trustOf([
      root('young', 'passive', { createdAt: '2031-01-01T00:00:00Z', trustDomain: 'b' }),
      root('gone', 'inactive', { trustDomain: 'c' }),
      root('old', 'active', { trustDomain: 'd' }),
    ]);
    assert.deepEqual(
      trust.roots.map(({ name }) => name),
      ['old', 'young'],
    );
    assert.deepEqual(trust.domains, ['b', 'd']);
    assert.equal(splitBundle(trust.bundle).length, 2);
    assert.match(trust.bundle, /old[\s\S]+young/);
  });

  const signers: readonly { why: string; roots: readonly Root[]; signer: string | undefined }[] = [
    { why: 'the active one', roots: [root('a', 'active'), root('b', 'passive')], signer: 'a' },
    { why: 'none without an active one', roots: [root('b', 'passive'), root('c', 'inactive')], signer: undefined },
    {
      why: 'the youngest of two',
      roots: [root('b', 'active', { createdAt: '2031-01-01T00:00:00Z' }), root('c', 'active')],
      signer: 'b',
    },
    {
      why: 'the one that replaces the other, even of the same second',
      roots: [root('a', 'active', { replaces: 'b' }), root('b', 'active')],
      signer: 'a',
    },
  ];
  for (const { why, roots, signer } of signers) {
    it(`signs with ${why}`, () => assert.equal(trustOf(roots).signer?.name, signer));
  }

  const roles = fc.constantFrom<RootRole>('active', 'passive', 'inactive');
  it('does not depend on the order in which the roots are read', () => {
    const sets = fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), role: roles }), {
      selector: ({ name }) => name,
    });
    fc.assert(
      fc.property(sets, fc.nat(3), (set, shift) => {
        const roots = set.map(({ name, role }) => root(name, role));
        const shifted = [...roots.slice(shift), ...roots.slice(0, shift)];
        assert.deepEqual(trustOf(shifted), trustOf(roots));
        assert.deepEqual(trustOf(shifted.reverse()), trustOf(roots));
      }),
    );
  });

  it('has another version when any role changes', () => {
    const versions = [
      [root('a', 'active')],
      [root('a', 'active'), root('b', 'passive')],
      [root('a', 'active'), root('b', 'active')],
      [root('a', 'active', { trustDomain: 'x' })],
      [root('a', 'passive')],
      [root('a', 'passive'), root('b', 'active')],
      [root('a', 'passive'), root('c', 'active')],
    ].map(roots => trustOf(roots).version);
    assert.equal(new Set(versions).size, versions.length);
  });
});

describe('A bundle', () => {
  it('is split into certificates', () => {
    const pems = splitBundle(authority.certificatePem + authority.certificatePem);
    assert.equal(pems.length, 2);
    for (const pem of pems) assert.equal(new X509Certificate(pem).subject, 'CN=mesh');
  });
});
