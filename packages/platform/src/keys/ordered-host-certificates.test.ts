import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '../log/logger.ts';
import { createCertificateAuthority } from '../pki/certificate-authority.ts';
import { issueCertificate } from '../pki/issue-certificate.ts';
import { constantAuthority } from '../pki/issuing-authority.ts';
import { ManualClock } from '../time/clock.ts';
import type { CertificateIssuer } from './certificate-issuer.ts';
import { IssuedHostCertificates } from './host-certificates.ts';
import { OrderedHostCertificates, type StoredCertificate } from './ordered-host-certificates.ts';

const dayMs = 24 * 60 * 60 * 1000;

function startStage() {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const own = createCertificateAuthority({ commonName: 'own', now: clock.now() });
  const others = createCertificateAuthority({ commonName: 'public', now: clock.now() });
  const stored = new Map<string, StoredCertificate>();
  const state = { isDown: false, orders: 0 };
  const issuer: CertificateIssuer = {
    issue: async ({ hosts }) => {
      state.orders++;
      if (state.isDown) throw new Error('the server is down');
      const now = clock.now();
      const notAfter = new Date(now.getTime() + 90 * dayMs);
      const { certificatePem, privateKeyPem } = issueCertificate(others, {
        dnsNames: hosts,
        usages: ['server'],
        now,
        notAfter,
      });
      return { certPem: certificatePem, keyPem: privateKeyPem, caPem: undefined, notAfter };
    },
  };
  const open = () =>
    new OrderedHostCertificates({
      issuer,
      store: {
        read: async host => stored.get(host),
        write: async (host, certificate) => void stored.set(host, certificate),
      },
      covers: host => host.endsWith('.public.example'),
      fallback: new IssuedHostCertificates({
        authority: constantAuthority(own),
        isServed: host => host.endsWith('.example'),
        clock,
      }),
      clock,
      logger: silentLogger,
    });
  return { clock, stored, state, open };
}

/** What a host is served with once everything that was ordered has come. */
async function settle(certificates: OrderedHostCertificates, host: string): Promise<string | undefined> {
  await certificates.find(host);
  await certificates[Symbol.asyncDispose]();
  return (await certificates.find(host))?.certificatePem;
}

describe('ordered certificates of host names', () => {
  const host = 'a.public.example';

  test("come after the landscape's own, are stored, and are found by the next start", async () => {
    const { open, state, stored } = startStage();
    const certificates = open();
    const first = (await certificates.find(host))?.certificatePem;
    const second = await settle(certificates, host);
    assert.notEqual(first, second);
    assert.equal(second, stored.get(host)?.certificatePem);
    assert.equal(await settle(open(), host), second);
    assert.equal(state.orders, 1);
  });

  test('are not ordered for names that are not covered, or not served', async () => {
    const { open, state } = startStage();
    const certificates = open();
    assert.ok(await settle(certificates, 'a.example'));
    assert.equal(await settle(certificates, 'a.public.other'), undefined);
    assert.equal(state.orders, 0);
  });

  test('are renewed in time, and the old one serves until then', async () => {
    const { open, clock } = startStage();
    const certificates = open();
    const first = await settle(certificates, host);
    clock.advance(61 * dayMs);
    assert.equal((await certificates.find(host))?.certificatePem, first);
    assert.notEqual(await settle(certificates, host), first);
  });

  test('are tried again with a growing pause, while the own certificate serves', async () => {
    const { open, clock, state } = startStage();
    state.isDown = true;
    const certificates = open();
    for (const waitMs of [0, 1000, 60_000, 60_000, 60_000]) {
      clock.advance(waitMs);
      assert.ok(await settle(certificates, host));
    }
    assert.equal(state.orders, 3);
  });
});
