// The embedded DNS server under a real dig.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EmbeddedDnsServer } from '@chandlery/fleet';
import { findDig, runProcess, whySkipped } from '@chandlery/testing';

const found = await findDig();
const domain = 'dinosaurs.example.com';

describe('dig on the embedded DNS server', { skip: whySkipped(found) }, () => {
  const dig = async (server: EmbeddedDnsServer, ...args: string[]): Promise<string> => {
    const flags = ['@127.0.0.1', '-p', String(server.port), '+tries=2', '+time=3'];
    const { code, stdout } = await runProcess(found.path ?? '', [...flags, ...args]);
    assert.equal(code, 0, stdout);
    return stdout;
  };
  const start = async (): Promise<EmbeddedDnsServer> => {
    const server = await EmbeddedDnsServer.start({ port: 0 });
    server.zone(domain).load([
      { name: `one.${domain}`, target: `router.${domain}`, ttlSeconds: 300 },
      { name: `router.${domain}`, target: '192.0.2.1', ttlSeconds: 60 },
      ...Array.from({ length: 12 }, (_, index) => ({
        name: `long.${domain}`,
        target: String.fromCharCode(97 + index).repeat(250),
        ttlSeconds: 60,
        type: 'TXT' as const,
      })),
    ]);
    return server;
  };

  test('an alias is resolved over UDP and TCP', async () => {
    await using server = await start();
    for (const transport of ['+notcp', '+tcp'])
      assert.equal(await dig(server, '+short', transport, `one.${domain}`), `router.${domain}.\n192.0.2.1\n`);
  });

  test('a long answer is fetched over TCP by itself', async () => {
    await using server = await start();
    assert.equal((await dig(server, '+short', `long.${domain}`, 'TXT')).trim().split('\n').length, 12);
  });

  test('status and flags are those of an authoritative server, without a warning', async () => {
    await using server = await start();
    const cases: readonly [string, string, string][] = [
      [`one.${domain}`, 'CNAME', 'NOERROR'],
      [`one.${domain}`, 'MX', 'NOERROR'],
      [`none.${domain}`, 'A', 'NXDOMAIN'],
      ['example.org', 'A', 'REFUSED'],
      [domain, 'SOA', 'NOERROR'],
      [`one.${domain}`, 'TYPE65', 'NOERROR'],
    ];
    for (const [name, type, status] of cases) {
      const output = await dig(server, '+norecurse', name, type);
      assert.match(output, new RegExp(`status: ${status}`), `${name} ${type}`);
      assert.doesNotMatch(output, /;; (WARNING|Warning|Got bad)/, output);
    }
    assert.match(await dig(server, '+norecurse', domain, 'SOA'), /flags: qr aa[ ;]/);
  });

  test('cookies, the DO bit and client subnets are tolerated', async () => {
    await using server = await start();
    const output = await dig(server, '+dnssec', '+cookie', '+subnet=192.0.2.0/24', '+norecurse', `one.${domain}`);
    assert.match(output, /status: NOERROR/);
    assert.match(output, /EDNS: version: 0/);
  });
});
