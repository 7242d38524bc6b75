import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { loadProxyConfig, proxyHelp, required, settingsOf } from './config.ts';

test('settings come from the file, variables win over it, flags over both', async () => {
  await using folder = await tempFolder();
  const path = folder.join('proxy.yaml');
  writeFileSync(
    path,
    'service-manager:\n  url: https://file\n  user: me\nbroker-black-list: [a, b]\nresync-period-seconds: 60\n',
  );
  const env = { CHANDLERY_PROXY_SERVICE_MANAGER_URL: 'https://env', CHANDLERY_PORT: 'not ours' };
  const config = loadProxyConfig({ argv: ['--config', path, '--max-parallel-requests', '2'], env });
  assert.equal(config.serviceManagerUrl, 'https://env');
  assert.equal(config.serviceManagerUser, 'me');
  const settings = settingsOf(config);
  assert.deepEqual(settings.brokerBlackList, ['a', 'b']);
  assert.equal(settings.resyncPeriodMs, 60_000);
  assert.equal(settings.maxParallelRequests, 2);
});

test('an invalid variable is reported by its own name', () => {
  const env = { CHANDLERY_PROXY_PORT: 'x' };
  assert.throws(() => loadProxyConfig({ argv: [], env }), { message: /^CHANDLERY_PROXY_PORT must be a whole number/ });
});

test('help names our variables', () => {
  assert.match(proxyHelp(), /CHANDLERY_PROXY_SERVICE_MANAGER_URL/);
  assert.doesNotMatch(proxyHelp(), /chandlery\.yaml/);
});

test('what is missing is named as the user would set it; a password not as a flag', () => {
  const config = loadProxyConfig({ argv: [], env: {} });
  assert.throws(() => required(config, 'serviceManagerUrl'), {
    message: 'service-manager-url is not set',
    hint: /^Set it by --service-manager-url, CHANDLERY_PROXY_SERVICE_MANAGER_URL or /,
  });
  assert.throws(() => required(config, 'serviceManagerPassword'), {
    hint: /^Set it by CHANDLERY_PROXY_SERVICE_MANAGER_PASSWORD or /,
  });
});
