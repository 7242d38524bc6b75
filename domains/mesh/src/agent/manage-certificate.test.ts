import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock, signCertificate } from '@chandlery/platform';
import { eventually, tempFolder } from '@chandlery/testing';
import { readCsr } from '../certificates/csr/read-csr.ts';
import { TestRoot } from '../server/test-mesh-authority.ts';
import { leafOf, readCertificateFolder } from './certificate-folder.ts';
import { type ManageCertificateOptions, manageCertificate } from './manage-certificate.ts';

const hourMs = 60 * 60 * 1000;

/** An authority that signs for an hour, a fixed clock, and timers that the test fires. */
function createWorld(folder: string) {
  const clock = new ManualClock(new Date());
  const root = new TestRoot();
  let timer: (() => void) | undefined;
  const registry = {
    clock,
    signed: 0,
    isDown: false,
    trustVersion: '1',
    waits: [] as number[],
    fire: (): void => timer?.(),
  };
  const options: ManageCertificateOptions = {
    folder,
    clock,
    random: () => 0,
    timers: {
      after(delayMs, call) {
        registry.waits.push(delayMs);
        timer = call;
        return () => {
          timer = undefined;
        };
      },
    },
    requestCertificate: async csr => {
      if (registry.isDown) throw new Error('the authority is down');
      registry.signed += 1;
      const now = clock.now();
      const request = { uris: ['spiffe://x/y'], usages: ['client'] as const, now, publicKey: readCsr(csr) };
      const notAfter = new Date(now.getTime() + hourMs);
      const { certificatePem: chain } = signCertificate(root.signer, { ...request, notAfter });
      return { chain, trustBundle: root.signer.certificatePem, trustVersion: registry.trustVersion };
    },
  };
  return { registry, options, root };
}

test('an empty folder gets a certificate, its own key and the roots, readable by the owner only', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'certificates');
  const { options, root } = createWorld(path);
  await using kept = await manageCertificate(options);
  const files = readCertificateFolder(path);
  assert.ok(files && leafOf(files), 'certificate and key belong together');
  assert.equal(files.ca, root.signer.certificatePem);
  assert.equal(kept.notAfter.getTime(), new X509Certificate(files.cert).validToDate.getTime());
  assert.equal(statSync(join(path, 'key.pem')).mode & 0o777, 0o600);
});

test('a certificate is renewed after two thirds of its life, with a new key', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  await using kept = await manageCertificate(options);
  const first = readCertificateFolder(folder.path);
  registry.clock.advance(39 * 60_000);
  registry.fire();
  assert.equal(registry.signed, 1);
  registry.clock.advance(2 * 60_000);
  registry.fire();
  await eventually(() => registry.signed === 2 && registry.waits.length === 3);
  const second = readCertificateFolder(folder.path);
  assert.ok(second && leafOf(second));
  assert.notEqual(second.key, first?.key);
  assert.ok(kept.notAfter.getTime() > registry.clock.now().getTime() + 50 * 60_000);
  assert.ok(
    registry.waits.every(waitMs => waitMs <= 60_000),
    'the clock is looked at every minute',
  );
});

test('an unavailable authority is retried, and the existing certificate is kept', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  await using _kept = await manageCertificate(options);
  const before = readCertificateFolder(folder.path);
  registry.isDown = true;
  registry.clock.advance(45 * 60_000);
  registry.fire();
  await eventually(() => registry.waits.length === 2);
  assert.deepEqual(readCertificateFolder(folder.path), before);
  registry.isDown = false;
  registry.fire();
  await eventually(() => registry.signed === 2);
});

test('a valid certificate is kept by the next run, an invalid one is replaced', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  await (await manageCertificate(options))[Symbol.asyncDispose]();
  await (await manageCertificate(options))[Symbol.asyncDispose]();
  assert.equal(registry.signed, 1);
  registry.clock.advance(50 * 60_000);
  await (await manageCertificate(options))[Symbol.asyncDispose]();
  assert.equal(registry.signed, 2);
});

test('files that do not belong together are replaced', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  for (const name of ['cert.pem', 'key.pem', 'ca.pem']) writeFileSync(join(folder.path, name), 'nonsense');
  await using _kept = await manageCertificate(options);
  assert.equal(registry.signed, 1);
  assert.match(readFileSync(join(folder.path, 'cert.pem'), 'utf8'), /BEGIN CERTIFICATE/);
});

test('old files are removed, except the last ones, which may be in use', async () => {
  await using folder = await tempFolder();
  const { options } = createWorld(folder.path);
  await using kept = await manageCertificate(options);
  for (let round = 0; round < 4; round++) await kept.renew();
  const versions = readdirSync(folder.path).filter(name => /^\.\.\d/.test(name));
  assert.equal(versions.length, 2);
});

test('a rejected first certificate is an error', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  registry.isDown = true;
  await assert.rejects(manageCertificate(options), /the authority is down/);
});

test('a certificate is renewed as soon as the roots are others, and not otherwise', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  let told = 0;
  const trustVersion = async () => registry.trustVersion;
  const onRenewed = () => {
    told += 1;
  };
  await using _kept = await manageCertificate({ ...options, trustVersion, onRenewed });
  registry.fire();
  await eventually(() => registry.waits.length === 2);
  assert.deepEqual(registry.waits, [15_000, 15_000]);
  assert.deepEqual([registry.signed, told], [1, 1]);
  registry.trustVersion = '2';
  registry.fire();
  await eventually(() => registry.waits.length === 3);
  assert.deepEqual([registry.signed, told], [2, 2]);
  registry.fire();
  await eventually(() => registry.waits.length === 4);
  assert.equal(registry.signed, 2);
});

test('the roots of a certificate of an earlier run are unknown: it is renewed when they are polled', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  await (await manageCertificate(options))[Symbol.asyncDispose]();
  await using _kept = await manageCertificate({ ...options, trustVersion: async () => registry.trustVersion });
  assert.equal(registry.signed, 1);
  registry.fire();
  await eventually(() => registry.signed === 2 && registry.waits.length === 3);
});

test('a failed poll of the roots is repeated', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  const trustVersion = async () => {
    if (registry.isDown) throw new Error('the authority is down');
    return registry.trustVersion;
  };
  await using _kept = await manageCertificate({ ...options, trustVersion });
  registry.isDown = true;
  registry.fire();
  await eventually(() => registry.waits.length === 2);
  assert.ok((registry.waits[1] ?? 0) <= 1_000, 'soon');
  [registry.isDown, registry.trustVersion] = [false, '2'];
  registry.fire();
  await eventually(() => registry.signed === 2 && registry.waits.length === 3);
  assert.equal(registry.waits[2], 15_000);
});

test('the callback is called after each check with its result, and not after disposal', async () => {
  await using folder = await tempFolder();
  const { registry, options } = createWorld(folder.path);
  const told: string[] = [];
  const onChecked = (failure?: unknown): void =>
    void told.push(failure instanceof Error ? failure.message : String(failure));
  const kept = await manageCertificate({ ...options, onChecked });
  assert.deepEqual(told, [], 'the first certificate is the answer itself');
  registry.clock.advance(45 * 60_000);
  registry.isDown = true;
  for (const looks of [1, 2]) {
    registry.fire();
    await eventually(() => told.length === looks);
  }
  registry.isDown = false;
  registry.fire();
  await eventually(() => told.length === 3);
  assert.deepEqual(told, ['the authority is down', 'the authority is down', 'undefined']);
  registry.clock.advance(45 * 60_000);
  registry.isDown = true;
  registry.fire();
  await kept[Symbol.asyncDispose]();
  assert.equal(told.length, 3);
});
