import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import fc from 'fast-check';
import { createCsr } from './create-csr.ts';
import { readCsr } from './read-csr.ts';

const frame = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
const derOf = (pem: string): Buffer => Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');

/** A request with subject and extensions. */
async function opensslCsr(...keyOptions: readonly string[]): Promise<string> {
  await using folder = await tempFolder();
  const file = `${folder.path}/request.pem`;
  const subject = ['-subj', '/CN=somebody-else', '-addext', 'subjectAltName=URI:spiffe://other/x'];
  const options = ['req', '-new', '-nodes', '-keyout', `${folder.path}/key.pem`, '-out', file];
  execFileSync('openssl', [...options, ...keyOptions, ...subject], { stdio: 'pipe' });
  return execFileSync('cat', [file], { encoding: 'utf8' });
}

describe('A request to be certified', () => {
  it('is for the key of its creator', () => {
    const { csr, privateKey } = createCsr();
    const ownKey = createPublicKey(createPrivateKey(privateKey));
    assert.ok(readCsr(csr).equals(ownKey));
  });

  it('is accepted by openssl', () => {
    const { csr } = createCsr();
    const text = execFileSync('openssl', ['req', '-verify', '-noout', '-text'], {
      input: csr,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    assert.match(text, /prime256v1/);
  });

  const accepted = [
    { why: 'P-256', options: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], type: 'ec' },
    {
      why: 'P-384 with SHA-384',
      options: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-sha384'],
      type: 'ec',
    },
    { why: 'RSA of 2048 bits', options: ['-newkey', 'rsa:2048', '-sha512'], type: 'rsa' },
  ];
  for (const { why, options, type } of accepted) {
    it(`of openssl is read: ${why}`, async () => {
      assert.equal(readCsr(await opensslCsr(...options)).asymmetricKeyType, type);
    });
  }

  const refused = [
    { why: 'another curve', options: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521'], message: /secp521r1/ },
    { why: 'a short RSA key', options: ['-newkey', 'rsa:1024'], message: /2048/ },
    { why: 'a key of another type', options: ['-newkey', 'ed25519'], message: /ed25519/ },
    {
      why: 'a weak hash',
      options: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-sha1'],
      message: /SHA-256/,
    },
  ];
  for (const { why, options, message } of refused) {
    it(`is rejected for ${why}`, async () => {
      const csr = await opensslCsr(...options);
      assert.throws(() => readCsr(csr), { code: 'InvalidCsr', message });
    });
  }

  it('is rejected when it is signed by another key', () => {
    const [own, other] = [derOf(createCsr().csr), derOf(createCsr().csr)];
    // Both have equal heads, then a signed part of the same length.
    const signedLength = 4 + own.readUInt8(3 + (own[1] === 0x81 ? 1 : 0));
    const mixed = Buffer.concat([own.subarray(0, signedLength), other.subarray(signedLength)]);
    mixed.writeUInt8(mixed.length - (own[1] === 0x81 ? 3 : 2), own[1] === 0x81 ? 2 : 1);
    assert.throws(() => readCsr(frame(mixed)), { code: 'InvalidCsr', message: /signature|middle/ });
  });

  it('is rejected when any byte is changed', () => {
    const der = derOf(createCsr().csr);
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(der);
        changed.writeUInt8(changed.readUInt8(at) ^ change, at);
        assert.throws(() => readCsr(frame(changed)), { code: 'InvalidCsr' });
      }),
      { numRuns: 300 },
    );
  });

  it('is rejected when it is anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.uint8Array().map(bytes => frame(Buffer.from(bytes))),
        ),
        text => {
          assert.throws(() => readCsr(text), { code: 'InvalidCsr' });
        },
      ),
    );
    assert.throws(() => readCsr(frame(Buffer.alloc(20_000))), { code: 'InvalidCsr', message: /longer/ });
  });
});
