import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import { splitSecrets } from './configuration-secrets.ts';
import { defaultDocument } from './default-document.ts';
import { readConfiguration } from './read-configuration.ts';
import { exampleDocument, exampleYaml } from './test-document.ts';

type Document = Record<string, unknown>;

function problemsOf(document: unknown): string[] {
  const read = readConfiguration(document);
  return 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

function accepted(document: unknown) {
  const read = readConfiguration(document);
  assert.ok('configuration' in read, JSON.stringify(read));
  return read;
}

test('a complete document is read', () => {
  const { configuration, warnings } = accepted(parse(exampleYaml));
  assert.deepEqual(configuration.product, { id: 'dinosaurs', kind: 'Dinosaur' });
  assert.deepEqual([...configuration.instanceTypes.keys()], ['standard', 'eval']);
  assert.equal(configuration.instanceTypes.get('standard')?.sizes.get('x2')?.capacityConsumed, 2);
  assert.equal(configuration.instanceTypes.get('eval')?.sizes.get('x1')?.lifespanSeconds, 172_800);
  assert.deepEqual(configuration.providers.get('aws')?.regions.get('eu-north-1')?.instanceTypes.get('standard'), {
    limit: 10,
    slack: 0,
  });
  assert.deepEqual(configuration.clusters, [
    {
      name: 'frankfurt-1',
      clusterId: 'frankfurt-1',
      cloudProvider: 'aws',
      region: 'eu-central-1',
      multiAz: true,
      schedulable: true,
      instanceLimit: 50,
      status: 'ready',
      providerType: 'standalone',
      clusterDns: 'apps.frankfurt-1.example.com',
      supportedInstanceTypes: ['standard', 'eval'],
    },
  ]);
  assert.deepEqual(configuration.quota.organisations.get('13645369')?.users, new Set(['ann', 'ben']));
  assert.deepEqual(configuration.denyList, new Set(['mallory']));
  assert.equal(configuration.dns.type === 'route53' && configuration.dns.secretAccessKey, 'key-of-route53');
  assert.deepEqual(
    warnings.map(({ path }) => path),
    ['supported_providers.aws.eu-north-1.standard.limit'],
    'the region has no clusters and yet a limit',
  );
});

test('a document survives YAML, and the way through Secret and object', () => {
  const document = parse(stringify(parse(exampleYaml))) as Document;
  const split = splitSecrets(document);
  assert.deepEqual(split.secrets, {
    'dns.secret_access_key': 'key-of-route53',
    'sso.client_secret': 'key-of-keycloak',
  });
  assert.doesNotMatch(JSON.stringify(split.document), /key-of/);
  assert.deepEqual(readConfiguration(split.document, split.secrets), readConfiguration(parse(exampleYaml)));
});

test('the built-in product needs no configuration', () => {
  const { configuration, warnings } = accepted(defaultDocument);
  assert.deepEqual(warnings, []);
  assert.equal(configuration.settings.scalingType, 'auto');
  assert.deepEqual([...configuration.instanceTypes.keys()], ['standard', 'eval']);
  assert.equal(configuration.providers.get('local')?.regions.get('local')?.isDefault, true);
  assert.deepEqual(configuration.dns, { type: 'embedded', port: 18_053, domain: 'dinosaurs.fleet.internal' });
  assert.deepEqual(
    [configuration.sso.type, configuration.certificates.type, configuration.metrics.type],
    ['embedded', 'embedded', 'embedded'],
  );
});

test('settings have the defaults of the reference', () => {
  const { configuration } = accepted({ product: { id: 'llamas', kind: 'Llama' } });
  assert.equal(configuration.settings.scalingType, 'manual');
  assert.equal(configuration.settings.maxAllowedInstances, 1);
  assert.deepEqual(configuration.settings.deadlines, {
    accepted: 3600,
    noVersion: 300,
    preparing: 300,
    provisioning: 3600,
  });
  assert.equal(configuration.settings.quotaGraceSeconds, 14 * 24 * 3600);
});

test('the limit of a cluster is named after the product', () => {
  const cluster = { cluster_id: 'c', cloud_provider: 'local', region: 'local' };
  const read = (fields: Document) =>
    accepted({ product: { id: 'llamas', kind: 'Llama' }, clusters: [{ ...cluster, ...fields }] }).configuration
      .clusters[0];
  assert.equal(read({ llama_instance_limit: 3 })?.instanceLimit, 3);
  assert.equal(read({ instance_limit: 4 })?.instanceLimit, 4);
  assert.equal(read({ dinosaur_instance_limit: -1 })?.instanceLimit, undefined);
  assert.equal(read({})?.instanceLimit, undefined);
});

const [provider] = exampleDocument()['supported_providers'] as [Document];
const [cluster] = exampleDocument()['clusters'] as [Document];
const regions = provider['regions'] as [Document, Document];
const withRegion = (region: Document) => ({
  supported_providers: [{ ...provider, regions: [{ ...regions[0], ...region }] }],
});

const faults: readonly { why: string; sections: Document; problems: readonly RegExp[] }[] = [
  {
    why: 'unknown key',
    sections: { setings: {} },
    problems: [/^setings: is not a known key; did you mean "settings"\?$/],
  },
  {
    why: 'unknown setting',
    sections: { settings: { enable_denylist: true } },
    problems: [/^settings\.enable_denylist: .*"enable_deny_list"/],
  },
  {
    why: 'flag of another type',
    sections: { settings: { enable_deny_list: 'yes' } },
    problems: [/^settings\.enable_deny_list: must be true or false$/],
  },
  {
    why: 'negative number',
    sections: { settings: { max_allowed_instances: -1 } },
    problems: [/^settings\.max_allowed_instances: must be a whole number, 0 or more$/],
  },
  { why: 'fraction', sections: { settings: { max_allowed_instances: 1.5 } }, problems: [/whole number/] },
  {
    why: 'unknown mode',
    sections: { settings: { dataplane_cluster_scaling_type: 'magic' } },
    problems: [/^settings\.dataplane_cluster_scaling_type: must be one of manual, auto, none$/],
  },
  {
    why: 'no deadline',
    sections: { settings: { deadlines: { accepted: 0 } } },
    problems: [/^settings\.deadlines\.accepted: must be a whole number from 1/],
  },
  { why: 'no product', sections: { product: undefined }, problems: [/^product: is required$/] },
  {
    why: 'reserved product',
    sections: { product: { id: 'fleet', kind: 'Fleet' } },
    problems: [/^product\.id: must not be "fleet"/],
  },
  {
    why: 'product whose paths are taken',
    sections: { product: { id: 'agent-clusters', kind: 'Agent' } },
    problems: [/^product\.id: must not be "agent-clusters"/],
  },
  {
    why: 'bad product id',
    sections: { product: { id: 'Dino_saurs', kind: 'Dinosaur' } },
    problems: [/^product\.id: must begin with a letter/],
  },
  {
    why: 'bad kind',
    sections: { product: { id: 'dinosaurs', kind: 'dino' } },
    problems: [/^product\.kind: must begin with a capital/],
  },
  {
    why: 'no size',
    sections: {
      instance_types: [
        { id: 'standard', sizes: [] },
        { id: 'eval', sizes: [{ id: 'x1' }] },
      ],
    },
    problems: [/^instance_types\[0\]\.sizes: must have at least one size$/],
  },
  {
    why: 'type twice',
    sections: {
      instance_types: [
        { id: 'standard', sizes: [{ id: 'x1' }] },
        { id: 'standard', sizes: [{ id: 'x1' }] },
        { id: 'eval', sizes: [{ id: 'x1' }] },
      ],
    },
    problems: [/^instance_types\[1\]: "standard" is in the list already$/],
  },
  {
    why: 'dot in an id',
    sections: {
      instance_types: [
        { id: 'standard', sizes: [{ id: 'x.1' }] },
        { id: 'eval', sizes: [{ id: 'x1' }] },
      ],
    },
    problems: [/sizes\[0\]\.id: must consist of/],
  },
  {
    why: 'two default providers',
    sections: { supported_providers: [provider, { ...provider, name: 'gcp' }] },
    problems: [/^supported_providers: must have exactly one default provider, not aws, gcp$/],
  },
  {
    why: 'no default region',
    sections: { supported_providers: [{ ...provider, regions: [{ ...regions[0], default: false }, regions[1]] }] },
    problems: [/^supported_providers\[0\]\.regions: must have exactly one default region, not none$/],
  },
  {
    why: 'unknown type in a region',
    sections: withRegion({ supported_instance_type: { standart: {} } }),
    problems: [
      /supported_instance_type\.standart: the instance type "standart" is not known; did you mean "standard"\?$/,
    ],
  },
  {
    why: 'slack above the limit',
    sections: withRegion({
      supported_instance_type: { standard: { limit: 2, min_available_capacity_slack_streaming_units: 3 } },
    }),
    problems: [/min_available_capacity_slack_streaming_units: must not be above the limit, which is 2$/],
  },
  {
    why: 'cluster twice',
    sections: { clusters: [cluster, cluster] },
    problems: [/^clusters\[1\]: the cluster id "frankfurt-1" is in the list already$/],
  },
  {
    why: 'unknown type of a cluster',
    sections: { clusters: [{ ...cluster, supported_instance_type: 'standard,evil' }] },
    problems: [
      /^clusters\[0\]\.supported_instance_type: the instance type "evil" is not known; did you mean "eval"\?$/,
    ],
  },
  {
    why: 'two limits',
    sections: { clusters: [{ ...cluster, instance_limit: 3 }] },
    problems: [/instance_limit: is given together with/],
  },
  {
    why: 'limit below -1',
    sections: { clusters: [{ ...cluster, dinosaur_instance_limit: -2 }] },
    problems: [/dinosaur_instance_limit: must be a whole number, -1 or more$/],
  },
  {
    why: 'organisation twice',
    sections: { registered_users_per_organisation: [{ id: 1 }, { id: '1' }] },
    problems: [/^registered_users_per_organisation\[1\]: "1" is in the list already$/],
  },
  {
    why: 'plain http',
    sections: { metrics: { type: 'prometheus', url: 'http://prometheus.example.com' } },
    problems: [/^metrics\.url: must begin with https:\/\/; plain http is accepted on loopback only$/],
  },
  {
    why: 'password in an address',
    sections: { metrics: { type: 'prometheus', url: 'https://u:p@example.com' } },
    problems: [/^metrics\.url: must not hold a user name or a password$/],
  },
  {
    why: 'keys of another DNS type',
    sections: { dns: { type: 'none', domain: 'x' } },
    problems: [/^dns\.domain: is not a known key/],
  },
  {
    why: 'missing secret',
    sections: { sso: { type: 'keycloak', base_url: 'https://x.example', realm: 'r', client_id: 'c' } },
    problems: [/^sso\.client_secret: is required$/],
  },
  {
    why: 'terms without address',
    sections: { settings: { enable_terms_acceptance: true }, terms: undefined },
    problems: [/^terms: is required, because/],
  },
  { why: 'list instead of object', sections: { settings: [] }, problems: [/^settings: must be an object$/] },
  { why: 'object instead of list', sections: { clusters: {} }, problems: [/^clusters: must be a list$/] },
];

for (const { why, sections, problems } of faults) {
  test(`a document is rejected: ${why}`, () => {
    const found = problemsOf(exampleDocument(sections));
    assert.equal(found.length, problems.length, `${why}: ${found.join('; ')}`);
    for (const [index, pattern] of problems.entries()) assert.match(found[index] ?? '', pattern, why);
  });
}

test('all problems are found at once', () => {
  const found = problemsOf(
    exampleDocument({ settings: { max_allowed_instances: 'x' }, dns: { type: 'magic' }, sso: 5 }),
  );
  assert.deepEqual(found.map(line => line.split(':')[0]).sort(), ['dns.type', 'settings.max_allowed_instances', 'sso']);
});

test('what is no object is rejected', () => {
  for (const document of [null, undefined, [], 'text', 5])
    assert.notDeepEqual(problemsOf(document), [], String(document));
});

test('plain http is accepted on loopback', () => {
  accepted(exampleDocument({ metrics: { type: 'prometheus', url: 'http://127.0.0.1:9090' } }));
});

test('a cluster in an unknown region is a warning', () => {
  const { warnings } = accepted(exampleDocument({ clusters: [{ ...cluster, region: 'eu-centrl-1' }] }));
  assert.match(
    warnings[0]?.message ?? '',
    /"eu-centrl-1" is not known; did you mean "eu-central-1"\?; the cluster gets no instances/,
  );
});
