import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindWords } from './kind-words.ts';

const cases: readonly (readonly [kind: string, plural: string, words: string])[] = [
  ['ServiceInstance', 'serviceinstances', 'service instances'],
  ['TrafficPolicy', 'trafficpolicies', 'traffic policies'],
  ['HTTPRouteGroup', 'httproutegroups', 'HTTP route groups'],
  ['ConfigMap', 'configmaps', 'config maps'],
  ['Ingress', 'ingresses', 'ingresses'],
  ['Endpoints', 'endpoints', 'endpoints'],
  ['CSIDriver', 'csidrivers', 'CSI drivers'],
  ['Person', 'people', 'people'],
];

test('several objects of a kind have a name in words', () => {
  for (const [kind, plural, words] of cases) assert.equal(kindWords({ kind, plural }), words);
});
