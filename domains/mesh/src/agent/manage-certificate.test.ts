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
import { type KeepCertificateOptions, keepCertificate } from './manage-certificate.ts';

const hourMs = 60 * 60 * 1000;

/** An authority that signs for an hour, a clock that stands still, and timers that fire when told. */
function createWorld(folder: string) {
  const clock = new ManualClock(new Date());
  const root = new TestRoot();
  let timer: (() => void) | undefined;
  const world = {
    clock,
    signed: 0,
    isDown: false,
    trustVersion: '1',
    waits: [] as number[],
    fire: (): void => timer?.(),
  };
  const options: KeepCertificateOptions = {
    folder,
    clock,
    random: () => 0,
    timers: {
      after(delayMs, call) {
        world.waits.push(delayMs);
        timer = call;
        return () => {
          timer = undefined;
        };
      },
    },
    requestCertificate: async csr => {
      if (world.isDown) throw new Error('the authority is down');
      world.signed += 1;
      const now = clock.now();
      const request = { uris: ['spiffe://x/y'], usages: ['client'] as const, now, publicKey: readCsr(csr) };
      const notAfter = new Date(now.getTime() + hourMs);
      const { certificatePem: chain } = signCertificate(root.signer, { ...request, notAfter });
      return { chain, trustBundle: root.signer.certificatePem, trustVersion: world.trustVersion };
    },
  };
  return { world, options, root };
}

test('an empty folder gets a certificate, its own key and the roots, for nobody else to read', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'certificates');
  const { options, root } = createWorld(path);
  await using kept = await keepCertificate(options);
  const files = readCertificateFolder(path);
  assert.ok(files && leafOf(files), 'certificate and key belong together');
  assert.equal(files.ca, root.signer.certificatePem);
  assert.equal(kept.notAfter.getTime(), new X509Certificate(files.cert).validToDate.getTime());
  assert.equal(statSync(join(path, 'key.pem')).mode & 0o777, 0o600);
});

test('a certificate is renewed after two thirds of its life, with a new key', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  await using kept = await keepCertificate(options);
  const first = readCertificateFolder(folder.path);
  world.clock.advance(39 * 60_000);
  world.fire();
  assert.equal(world.signed, 1);
  world.clock.advance(2 * 60_000);
  world.fire();
  await eventually(() => world.signed === 2 && world.waits.length === 3);
  const second = readCertificateFolder(folder.path);
  assert.ok(second && leafOf(second));
  assert.notEqual(second.key, first?.key);
  assert.ok(kept.notAfter.getTime() > world.clock.now().getTime() + 50 * 60_000);
  assert.ok(
    world.waits.every(waitMs => waitMs <= 60_000),
    'the clock is looked at every minute',
  );
});

test('an authority that is down is asked again, and what is there stays', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  await using _kept = await keepCertificate(options);
  const before = readCertificateFolder(folder.path);
  world.isDown = true;
  world.clock.advance(45 * 60_000);
  world.fire();
  await eventually(() => world.waits.length === 2);
  assert.deepEqual(readCertificateFolder(folder.path), before);
  world.isDown = false;
  world.fire();
  await eventually(() => world.signed === 2);
});

test('a certificate that is still good is kept by the next run, one that is not is replaced', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  await (await keepCertificate(options))[Symbol.asyncDispose]();
  await (await keepCertificate(options))[Symbol.asyncDispose]();
  assert.equal(world.signed, 1);
  world.clock.advance(50 * 60_000);
  await (await keepCertificate(options))[Symbol.asyncDispose]();
  assert.equal(world.signed, 2);
});

test('files that do not belong together are replaced', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  for (const name of ['cert.pem', 'key.pem', 'ca.pem']) writeFileSync(join(folder.path, name), 'nonsense');
  await using _kept = await keepCertificate(options);
  assert.equal(world.signed, 1);
  assert.match(readFileSync(join(folder.path, 'cert.pem'), 'utf8'), /BEGIN CERTIFICATE/);
});

test('old files are removed, all but the last ones, which somebody may just be reading', async () => {
  await using folder = await tempFolder();
  const { options } = createWorld(folder.path);
  await using kept = await keepCertificate(options);
  for (let round = 0; round < 4; round++) await kept.renew();
  const versions = readdirSync(folder.path).filter(name => /^\.\.\d/.test(name));
  assert.equal(versions.length, 2);
});

test('a first certificate that is refused is an error', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  world.isDown = true;
  await assert.rejects(keepCertificate(options), /the authority is down/);
});

test('a certificate is renewed as soon as the roots are others, and not otherwise', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  let told = 0;
  const trustVersion = async () => world.trustVersion;
  const onRenewed = () => {
    told += 1;
  };
  await using _kept = await keepCertificate({ ...options, trustVersion, onRenewed });
  world.fire();
  await eventually(() => world.waits.length === 2);
  assert.deepEqual(world.waits, [15_000, 15_000]);
  assert.deepEqual([world.signed, told], [1, 1]);
  world.trustVersion = '2';
  world.fire();
  await eventually(() => world.waits.length === 3);
  assert.deepEqual([world.signed, told], [2, 2]);
  world.fire();
  await eventually(() => world.waits.length === 4);
  assert.equal(world.signed, 2);
});

test('nobody knows which roots a certificate of an earlier run is of: it is renewed when they are asked for', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  await (await keepCertificate(options))[Symbol.asyncDispose]();
  await using _kept = await keepCertificate({ ...options, trustVersion: async () => world.trustVersion });
  assert.equal(world.signed, 1);
  world.fire();
  await eventually(() => world.signed === 2 && world.waits.length === 3);
});

test('roots that cannot be asked for are asked for again', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  const trustVersion = async () => {
    if (world.isDown) throw new Error('the authority is down');
    return world.trustVersion;
  };
  await using _kept = await keepCertificate({ ...options, trustVersion });
  world.isDown = true;
  world.fire();
  await eventually(() => world.waits.length === 2);
  assert.ok((world.waits[1] ?? 0) <= 1_000, 'soon');
  [world.isDown, world.trustVersion] = [false, '2'];
  world.fire();
  await eventually(() => world.signed === 2 && world.waits.length === 3);
  assert.equal(world.waits[2], 15_000);
});

test('who wants to know is told after each look how it went, and nothing when it is over', async () => {
  await using folder = await tempFolder();
  const { world, options } = createWorld(folder.path);
  const told: string[] = [];
  const onChecked = (failure?: unknown): void =>
    void told.push(failure instanceof Error ? failure.message : String(failure));
  const kept = await keepCertificate({ ...options, onChecked });
  assert.deepEqual(told, [], 'the first certificate is the answer itself');
  world.clock.advance(45 * 60_000);
  world.isDown = true;
  for (const looks of [1, 2]) {
    world.fire();
    await eventually(() => told.length === looks);
  }
  world.isDown = false;
  world.fire();
  await eventually(() => told.length === 3);
  assert.deepEqual(told, ['the authority is down', 'the authority is down', 'undefined']);
  world.clock.advance(45 * 60_000);
  world.isDown = true;
  world.fire();
  await kept[Symbol.asyncDispose]();
  assert.equal(told.length, 3);
});
