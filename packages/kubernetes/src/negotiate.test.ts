import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EndpointKind, Negotiator, negotiate } from './negotiate.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const oldTable = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const oldDiscovery = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const protobuf = 'application/vnd.kubernetes.protobuf';

const cases: readonly [why: string, accept: string | undefined, endpoint: EndpointKind, outcome: string][] = [
  ['no header', undefined, 'resource', 'json'],
  ['empty header', '', 'resource', 'json'],
  ['plain JSON', 'application/json', 'resource', 'json'],
  ['anything', '*/*', 'resource', 'json'],
  ['any application', 'application/*', 'discovery', 'json'],
  ['a bare star, as some HTTP libraries send', 'text/html, image/gif, *; q=.2', 'plain', 'json'],
  ['YAML', 'application/yaml', 'resource', 'yaml'],
  ['charset is ignored', 'application/json; charset=utf-8', 'resource', 'json'],
  ['upper case', 'Application/JSON', 'resource', 'json'],
  ['protobuf only', protobuf, 'resource', '406'],
  ['HTML only', 'text/html', 'plain', '406'],
  ['protobuf before JSON', `${protobuf},application/json`, 'resource', 'json'],
  ['kubectl get', `${table},${oldTable},application/json`, 'resource', 'table v1'],
  ['an old kubectl', `${oldTable},application/json`, 'resource', 'table v1beta1'],
  ['a watch of tables', `${table};stream=watch`, 'resource', 'table v1'],
  ['a stream that does not exist', 'application/json;stream=other', 'resource', '406'],
  ['a table of something that has none', `${table},application/json`, 'plain', 'json'],
  ['only a table of something that has none', table, 'discovery', '406'],
  ['an unknown table version', 'application/json;as=Table;v=v9;g=meta.k8s.io', 'resource', '406'],
  [
    'metadata informer',
    `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${partialList},application/json`,
    'resource',
    'partialMetadata v1',
  ],
  ['kubectl discovery', `${discovery},${oldDiscovery},application/json`, 'discovery', 'aggregatedDiscovery v2'],
  ['older kubectl discovery', `${oldDiscovery},application/json`, 'discovery', 'aggregatedDiscovery v2beta1'],
  [
    'aggregated protobuf, then JSON',
    `${protobuf};as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,application/json`,
    'discovery',
    'json',
  ],
  ['discovery asked of a resource', `${discovery},application/json`, 'resource', 'json'],
  ['higher quality wins', `${table};q=0.1,application/json;q=0.9`, 'resource', 'json'],
  ['quality zero is a rejection', 'application/json;q=0', 'resource', '406'],
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'resource', 'json'],
  ['quoted parameters', 'application/json;as="Table";v="v1";g="meta.k8s.io"', 'resource', 'table v1'],
];

for (const [why, accept, endpoint, outcome] of cases) {
  test(`negotiates ${why} as ${outcome}`, () => {
    const cached = new Negotiator();
    for (const found of [
      negotiate(accept, endpoint),
      cached.negotiate(accept, endpoint),
      cached.negotiate(accept, endpoint),
    ]) {
      assert.equal(found === undefined ? '406' : `${found.as} ${found.version}`.trim(), outcome);
    }
  });
}

test('a negotiator stays small and right when clients send ever new headers', () => {
  const negotiator = new Negotiator({ limit: 4 });
  for (let n = 0; n < 50; n++) {
    assert.equal(negotiator.negotiate(`application/json;x=${n}`, 'resource')?.as, 'json');
    assert.equal(negotiator.negotiate(`${protobuf};x=${n}`, 'resource'), undefined);
  }
});

test('pretty is passed on', () => {
  assert.equal(negotiate('application/json;pretty=1', 'resource')?.isPretty, true);
});
