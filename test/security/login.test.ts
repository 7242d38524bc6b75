import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  freePort,
  kubectlPath,
  type ProcessResult,
  runProcess,
  startProcess,
  startTestLandscape,
  type TempFolder,
  type TestLandscape,
  tempFolder,
} from '@chandlery/testing';
import { stringify } from 'yaml';
import { type Caller, createCaller } from './support/caller.ts';
import { createCluster } from './support/objects.ts';
import { OidcIssuer } from './support/oidc-issuer.ts';

const program = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');

/** A person at a machine of their own: nothing but a home folder and an address. */
describe('chandlery login', () => {
  let folder: TempFolder;
  let issuer: OidcIssuer;
  let landscape: TestLandscape;
  let admin: Caller;
  const env = (): Record<string, string> => ({ HOME: folder.path, PATH: process.env.PATH ?? '' });
  const chandlery = (...args: string[]): Promise<ProcessResult> =>
    runProcess(process.execPath, [program, ...args], { cwd: folder.path, env: env() });
  const where = (): string[] => [landscape.url, '--cluster', 'shop', '--ca-file', join(landscape.dataDir, 'ca.crt')];

  before(async () => {
    folder = await tempFolder();
    issuer = await OidcIssuer.start({ alice: [] });
    const oidc = [{ issuer: issuer.url, audiences: ['chandlery'], usernamePrefix: 'oidc:' }];
    writeFileSync(folder.join('settings.yaml'), stringify({ oidc }));
    landscape = await startTestLandscape({ flags: ['--config', folder.join('settings.yaml')] });
    admin = createCaller(landscape, { token: landscape.token });
    await createCluster(admin, 'shop', [{ kind: 'User', name: 'oidc:alice' }]);
  });
  after(async () => {
    await admin?.[Symbol.asyncDispose]();
    await landscape?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  test('by an OpenID provider: a browser, then every command and kubectl, also after the token has expired', async () => {
    const login = await startProcess(process.execPath, [program, 'login', ...where(), '--issuer', issuer.url], {
      cwd: folder.path,
      env: env(),
      ready: /Sign in at:\n {2}(\S+)\n/,
    });
    const [, address = ''] = /Sign in at:\n {2}(\S+)\n/.exec(login.output()) ?? [];
    const page = await (await fetch(await issuer.approve('alice', address))).text();
    assert.match(page, /You are signed in/);
    await login.waitForOutput(text => text.includes('Signed in to'), 30_000);
    assert.match(login.stdout(), /^Signed in to https:\S+\/clusters\/shop as oidc:alice; the context is "shop"\.\n/);

    const kubeconfig = folder.join('.config/chandlery/kubeconfig');
    const tokenFile = folder.join('.config/chandlery/tokens/shop.json');
    assert.deepEqual(
      [kubeconfig, tokenFile].map(file => statSync(file).mode & 0o777),
      [0o600, 0o600],
    );
    assert.doesNotMatch(readFileSync(kubeconfig, 'utf8'), /token:/);
    assert.match((await chandlery('get', 'namespaces', '-o', 'name')).stdout, /^namespace\/default$/m);

    const before = JSON.parse(readFileSync(tokenFile, 'utf8')) as { idToken: string };
    writeFileSync(tokenFile, JSON.stringify({ ...before, expiresAtMs: 0 }));
    const kubectl = await runProcess(await kubectlPath(), ['get', 'namespaces', '-o', 'name'], {
      env: { ...env(), KUBECONFIG: kubeconfig },
    });
    assert.match(kubectl.stdout, /^namespace\/default$/m, kubectl.stderr);
    const fresh = JSON.parse(readFileSync(tokenFile, 'utf8')) as { idToken: string; expiresAtMs: number };
    assert.ok(fresh.expiresAtMs > Date.now() && fresh.idToken !== before.idToken, 'the token was refreshed');
  });

  test('with a token; a wrong one is rejected and not kept', async () => {
    writeFileSync(folder.join('wrong'), 'no-such-token');
    const rejected = await chandlery('login', ...where(), '--name', 'wrong', '--token-file', 'wrong');
    assert.equal(rejected.code, 1);
    assert.match(rejected.stderr, /does not accept these credentials[\s\S]*Code: {2}SignInFailed/);
    writeFileSync(folder.join('right'), landscape.token);
    const signedIn = await chandlery('login', ...where(), '--name', 'operator', '--token-file', 'right');
    assert.equal(signedIn.code, 0, signedIn.stderr);
    const { stdout } = await chandlery('context', 'list');
    assert.match(stdout, /^\* +operator +https:\S+\/clusters\/shop +operator/m);
    assert.doesNotMatch(stdout, /wrong/);
    assert.match((await chandlery('clusters', 'list')).stdout, /^shop +Ready/m);
  });

  test('beside a landscape of its own, whose credentials commands use, it says so', async () => {
    mkdirSync(folder.join('clone/.chandlery'), { recursive: true });
    writeFileSync(folder.join('clone/.chandlery/admin.kubeconfig'), '');
    writeFileSync(folder.join('token'), landscape.token);
    const args = ['login', ...where(), '--name', 'beside', '--token-file', folder.join('token')];
    const inClone = (...line: string[]) =>
      runProcess(process.execPath, [program, ...line], { cwd: folder.join('clone'), env: env() });
    const warning =
      /^warning: commands here use \S+clone\/\.chandlery\/admin\.kubeconfig with its credentials, not the/;
    const { code, stderr } = await inClone(...args);
    assert.equal(code, 0, stderr);
    assert.match(stderr, warning);
    assert.match(stderr, new RegExp(`export KUBECONFIG=${folder.join('.config/chandlery/kubeconfig')}\n$`));
    assert.match((await inClone('context', 'use', 'beside')).stderr, warning);
    assert.equal((await chandlery(...args)).stderr, '', 'elsewhere the sign-in is used');
    assert.equal((await chandlery('logout', 'beside')).code, 0);
  });

  test('an address where nobody listens, a missing authority and a missing provider are explained', async () => {
    writeFileSync(folder.join('right'), landscape.token);
    const nobody = `https://127.0.0.1:${await freePort()}`;
    const lost = await chandlery('login', nobody, '--token-file', 'right');
    assert.match(lost.stderr, /no server listens there\nNext: {2}Check the address[^\n]*\nCode: {2}ConnectionFailed/);
    const untrusted = await chandlery('login', landscape.url, '--token-file', 'right');
    assert.match(untrusted.stderr, /Next: {2}[^\n]*--ca-file[^\n]*\nCode: {2}UntrustedServer/);
    const noProvider = await chandlery('login', ...where(), '--issuer', `http://127.0.0.1:${await freePort()}`);
    assert.match(noProvider.stderr, /cannot sign in at http:\S+: connect ECONNREFUSED/);
  });

  test('contexts are chosen and forgotten; mistakes are named', async () => {
    assert.match((await chandlery('context', 'use', 'oprator')).stderr, /did you mean "operator"\?/);
    assert.equal((await chandlery('context', 'use', 'operator')).stdout, 'The context is "operator" now.\n');
    assert.equal((await chandlery('logout', 'operator')).code, 0);
    assert.doesNotMatch((await chandlery('context', 'list')).stdout, /operator/);
    assert.equal((await chandlery('logout', 'shop')).code, 0);
    assert.match((await chandlery('status')).stderr, /it does not exist\nNext: {2}Start a landscape/);
    assert.equal((await chandlery('login', 'http://insecure.example.com', '--token-file', 'right')).code, 2);
    assert.equal((await chandlery('login', ...where())).code, 2);
  });
});
