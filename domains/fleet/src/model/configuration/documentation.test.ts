import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readConfiguration } from './read-configuration.ts';
import { defaultDnsPort, defaultDomain } from './read-dns.ts';
import { defaultSettings } from './read-settings.ts';

const folder = import.meta.dirname;
const root = join(folder, '../../../../..');
const documentation = () => readFile(join(root, 'docs/fleet.md'), 'utf8');

/** All keys that the readers of the document accept: what they list in `fields([…])` and in lists of keys. */
async function acceptedKeys(): Promise<ReadonlySet<string>> {
  const names = (await readdir(folder)).filter(name => /^read-(?!.*test).*\.ts$/.test(name));
  const sources = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')));
  const lists = sources.join('\n').matchAll(/(?:fields\(|[kK]eys = |[kK]ey = )(\[[^\]]*\]|'[^']*')/g);
  return new Set(
    [...lists].flatMap(([, list = '']) => [...list.matchAll(/'([a-z0-9_]+)'/g)].map(([, key = '']) => key)),
  );
}

test('docs/fleet.md explains every key', async () => {
  const text = await documentation();
  const keys = await acceptedKeys();
  assert.ok(keys.has('max_deletions_per_minute') && keys.has('directory_url') && keys.size > 60, [...keys].join());
  const missing = [...keys].filter(key => !new RegExp(`[\`.*]${key}[\`:[]`).test(text));
  assert.deepEqual(missing, []);
});

test('configurations in docs/fleet.md and the examples are accepted without warnings', async () => {
  const blocks = [...(await documentation()).matchAll(/```yaml\n(product:.*?)```/gs)].map(([, block = '']) => block);
  assert.equal(blocks.length, 1);
  const products = join(root, 'examples/products');
  const examples = (await readdir(products)).map(name => join(products, name, 'configuration.yaml'));
  const files = await Promise.all(examples.map(path => readFile(path, 'utf8')));
  for (const text of [...blocks, ...files]) {
    const read = readConfiguration(parse(text));
    assert.ok('configuration' in read, JSON.stringify(read));
    assert.deepEqual(read.warnings, [], text);
  }
});

test('docs/fleet.md states the defaults of the settings', async () => {
  const text = await documentation();
  const { deadlines, ...settings } = defaultSettings;
  const stated = {
    quota_type: settings.quotaType,
    enable_instance_limit_control: settings.enableInstanceLimitControl,
    max_allowed_instances: settings.maxAllowedInstances,
    allow_trial_instances: settings.allowTrialInstances,
    max_allowed_trial_instances: settings.maxAllowedTrialInstances,
    enable_terms_acceptance: settings.enableTermsAcceptance,
    dataplane_cluster_scaling_type: settings.scalingType,
    quota_grace_seconds: settings.quotaGraceSeconds,
    max_deletions_per_minute: settings.maxDeletionsPerMinute,
    deleted_retention_seconds: settings.deletedRetentionSeconds,
    agent_silence_seconds: settings.agentSilenceSeconds,
  };
  for (const [key, value] of Object.entries(stated)) assert.ok(text.includes(`| \`${key}\` | \`${value}\` |`), key);
  assert.ok(
    text.includes(`\`accepted: ${deadlines.accepted}\``) && text.includes(`\`no_version: ${deadlines.noVersion}\``),
  );
  assert.ok(
    text.includes(`(default \`${defaultDnsPort}\`)`) && text.includes(`default \`${defaultDomain('<product>')}\``),
  );
});
