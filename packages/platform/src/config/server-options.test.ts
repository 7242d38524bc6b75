import assert from 'node:assert/strict';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from './load-config.ts';
import { renderHelp } from './render-help.ts';
import { auditLogTarget, loadServerConfig, serverOptions } from './server-options.ts';

test('a server without settings runs with the documented defaults', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chandlery-config-'));
  assert.deepEqual(loadServerConfig({ argv: [], env: {}, folder: folder.path }).values, {
    dataDir: '.chandlery',
    host: '127.0.0.1',
    port: 7443,
    publicUrl: undefined,
    serviceManager: {},
    clouds: {},
    orders: {},
    allowedBrokerAddresses: [],
    httpPort: undefined,
    xdsPort: 18000,
    database: undefined,
    config: undefined,
    logLevel: 'info',
    logFormat: 'auto',
    oidc: [],
    localClusters: 'on',
    podIsolation: 'required',
    auditLog: undefined,
    otlpEndpoint: undefined,
    traceRatio: 1,
    historyMinutes: 10,
    revisionDays: 7,
  });
});

test('the collector of traces is named by its own variable or that of OpenTelemetry, and the share is checked', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chandlery-config-'));
  const load = (env: Readonly<Record<string, string>>) =>
    loadServerConfig({ argv: [], env, folder: folder.path }).values;
  const standard = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://standard:4318/' };
  assert.equal(load(standard).otlpEndpoint, 'http://standard:4318');
  assert.equal(load({ ...standard, CHANDLERY_OTLP_ENDPOINT: 'https://own' }).otlpEndpoint, 'https://own');
  assert.equal(load({ CHANDLERY_TRACE_RATIO: '0.25' }).traceRatio, 0.25);
  assert.throws(() => load({ CHANDLERY_TRACE_RATIO: '2' }), /must be a number from 0 to 1/);
  assert.throws(() => load({ CHANDLERY_OTLP_ENDPOINT: 'collector:4318' }), /must be an http or https address/);
});

test('chandlery.yaml is read when it is there, another file when it is named', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chandlery-config-'));
  writeFileSync(join(folder.path, 'chandlery.yaml'), 'port: 1\nhost: here');
  writeFileSync(join(folder.path, 'other.yaml'), 'port: 2');
  const load = (argv: string[], env = {}) => loadServerConfig({ argv, env, folder: folder.path }).values;
  assert.equal(load([]).port, 1);
  assert.deepEqual([load(['--config', 'other.yaml']).port, load(['--config', 'other.yaml']).host], [2, '127.0.0.1']);
  assert.equal(load([], { CHANDLERY_CONFIG: join(folder.path, 'other.yaml') }).port, 2);
  assert.throws(() => load(['--config', 'missing.yaml']), {
    code: 'ConfigFileInvalid',
    message: /missing\.yaml: it does not exist/,
  });
  writeFileSync(join(folder.path, 'other.yaml'), 'config: chandlery.yaml');
  assert.throws(() => load(['--config', 'other.yaml']), { code: 'UnknownOption' });
});

test('a public address is one that kubeconfigs can hold', () => {
  const load = (url: string) => loadConfig(serverOptions, { argv: ['--public-url', url] }).values.publicUrl;
  assert.equal(load('https://landscape.example.org/'), 'https://landscape.example.org');
  for (const url of ['landscape.example.org', 'http://landscape.example.org']) {
    assert.throws(() => load(url), { code: 'InvalidOption', message: /https:/ });
  }
});

const fromYaml = (text: string) => loadConfig(serverOptions, { file: { path: 'chandlery.yaml', text } }).values;

test('OpenID providers are read from the file and from the environment', () => {
  const { oidc } = fromYaml(`
oidc:
  - issuer: https://idp.example.org
    audiences: chandlery
    username-claim: email
    groupsClaim: groups
    requiredClaims: { hd: example.org }
    caFile: /etc/idp.crt
  - { issuer: https://other.example.org, audiences: [a, b] }
`);
  assert.deepEqual(oidc, [
    {
      issuer: 'https://idp.example.org',
      audiences: ['chandlery'],
      usernameClaim: 'email',
      groupsClaim: 'groups',
      requiredClaims: { hd: 'example.org' },
      caFile: '/etc/idp.crt',
    },
    { issuer: 'https://other.example.org', audiences: ['a', 'b'] },
  ]);
  const env = { CHANDLERY_OIDC: '[{"issuer":"https://i","audiences":["a"]}]' };
  assert.deepEqual(loadConfig(serverOptions, { env }).values.oidc, [{ issuer: 'https://i', audiences: ['a'] }]);
});

const wrongProviders: readonly [string, RegExp][] = [
  ['oidc: yes please', /must be JSON/],
  ['oidc: {issuer: x}', /must be a list/],
  ['oidc: [x]', /entry 1 is none/],
  ['oidc: [{audiences: [a]}]', /must have an issuer in entry 1/],
  ['oidc: [{issuer: "https://i"}]', /must have audiences in entry 1/],
  ['oidc: [{issuer: "https://i", audiences: []}]', /entry 1: audiences must not be empty/],
  [
    'oidc: [{issuer: "https://i", audiences: [a], groupClaim: g}]',
    /unknown key "groupClaim" in entry 1; did you mean "groupsClaim"\?/,
  ],
  ['oidc: [{issuer: "https://i", audiences: [a], requiredClaims: [x]}]', /requiredClaims must be a map/],
  ['oidc: [{issuer: "https://i", audiences: a}, {issuer: "https://i", audiences: b}]', /https:\/\/i twice/],
];
for (const [text, message] of wrongProviders) {
  test(`"${text}" is rejected`, () => assert.throws(() => fromYaml(text), { code: 'InvalidOption', message }));
}

test('a database address is kept whole, and a wrong one is never shown', () => {
  const load = (database: string) => loadConfig(serverOptions, { argv: ['--database', database] }).values.database;
  assert.equal(load('postgres://u:pa55@h:5432/d?sslmode=require'), 'postgres://u:pa55@h:5432/d?sslmode=require');
  assert.equal(load('postgresql://h/d'), 'postgresql://h/d');
  assert.equal(load('sqlite'), undefined);
  for (const wrong of ['mysql://u:pa55@h', 'u:pa55@h', 'postgres//u:pa55@h', 'pa55']) {
    assert.throws(
      () => load(wrong),
      (error: Error & { code?: string }) => error.code === 'InvalidOption' && !error.message.includes('pa55'),
    );
  }
});

test('the audit log goes to the configured target', () => {
  const at = (auditLog: string | undefined) => auditLogTarget({ auditLog, dataDir: '/data' });
  assert.deepEqual(at(undefined), { to: 'file', path: '/data/audit.log' });
  assert.deepEqual(at('/var/log/a'), { to: 'file', path: '/var/log/a' });
  assert.deepEqual(at('-'), { to: 'stdout' });
  assert.deepEqual(at('off'), { to: 'off' });
});

test('the help names every flag of the outside contract', () => {
  const help = renderHelp(serverOptions, { usage: 'chandlery up [options]' });
  for (const flag of [
    '--data-dir',
    '--host',
    '--port',
    '--http-port',
    '--xds-port',
    '--database',
    '--config',
    '--audit-log',
  ]) {
    assert.ok(help.includes(`  ${flag} `), flag);
  }
});

test('several words are a list in the file and separated by commas elsewhere', () => {
  const wanted = ['10.0.0.0/8', 'pg.internal'];
  const { allowedBrokerAddresses } = fromYaml('allowed-broker-addresses: [10.0.0.0/8, pg.internal]');
  assert.deepEqual(allowedBrokerAddresses, wanted);
  const argv = ['--allowed-broker-addresses', '10.0.0.0/8, pg.internal'];
  assert.deepEqual(loadConfig(serverOptions, { argv }).values.allowedBrokerAddresses, wanted);
  assert.throws(() => fromYaml('allowed-broker-addresses: {a: b}'), {
    code: 'InvalidOption',
    message: /must be a list/,
  });
  assert.throws(() => fromYaml('allowed-broker-addresses: [""]'), { code: 'InvalidOption' });
});
