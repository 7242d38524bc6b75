import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { type Case, created, updated } from './test-writes.ts';

type Service = KubeObject & { spec: Record<string, unknown> };

const port = { port: 80 };
const make = (spec: Record<string, unknown>) => created<Service>('/services', { spec });

const cases: readonly Case[] = [
  { why: 'a plain one', spec: { ports: [port], selector: { app: 'web' } } },
  { why: 'no ports', spec: {}, problems: ['spec.ports: Required value'] },
  { why: 'no ports, but no address either', spec: { clusterIP: 'None' } },
  { why: 'no ports, but a name elsewhere', spec: { type: 'ExternalName', externalName: 'db.example.com' } },
  { why: 'nowhere', spec: { type: 'ExternalName' }, problems: ['spec.externalName: Required value'] },
  {
    why: 'two ports without names',
    spec: { ports: [port, { port: 81 }] },
    problems: ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  },
  {
    why: 'two ports of one name',
    spec: {
      ports: [
        { ...port, name: 'a' },
        { port: 81, name: 'a' },
      ],
    },
    problems: ['spec.ports[1].name: Duplicate value: "a"'],
  },
  {
    why: 'one port twice',
    spec: {
      ports: [
        { ...port, name: 'a' },
        { ...port, name: 'b' },
      ],
    },
    problems: ['spec.ports[1]: Duplicate value: "TCP/80"'],
  },
  {
    why: 'one port of two protocols',
    spec: {
      ports: [
        { ...port, name: 'a' },
        { ...port, name: 'b', protocol: 'UDP' },
      ],
    },
  },
  {
    why: 'a target that is no port',
    spec: { ports: [{ ...port, targetPort: 70_000 }] },
    problems: ['spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
  },
  {
    why: 'a node port inside',
    spec: { ports: [{ ...port, nodePort: 30_000 }] },
    problems: ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  },
  {
    why: 'an address that is none',
    spec: { ports: [port], clusterIP: 'here' },
    problems: [
      'spec.clusterIPs[0]: Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  },
  {
    why: 'a headless load balancer',
    spec: { type: 'LoadBalancer', ports: [port], clusterIP: 'None' },
    problems: ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for LoadBalancer services'],
  },
  {
    why: 'a selector that is none',
    spec: { ports: [port], selector: { 'a b': 'c' } },
    problems: [
      "spec.selector: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  },
];

describe('the rules of a service', () => {
  for (const { why, spec, problems = [] } of cases) {
    test(why, async () => assert.deepEqual((await make(spec)).problems, problems));
  }
});

describe('a new service', () => {
  test('leads to its own port and has no address', async () => {
    const { object } = await make({ ports: [port] });
    assert.deepEqual(object.spec, {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
    assert.deepEqual(object['status'], { loadBalancer: {} });
  });

  test('has its address in both fields', async () => {
    assert.deepEqual((await make({ clusterIP: 'None' })).object.spec['clusterIPs'], ['None']);
    assert.equal((await make({ ports: [port], clusterIPs: ['10.0.0.1'] })).object.spec['clusterIP'], '10.0.0.1');
  });

  test('sticks to clients for three hours', async () => {
    const { object } = await make({ ports: [port], sessionAffinity: 'ClientIP' });
    assert.deepEqual(object.spec['sessionAffinityConfig'], { clientIP: { timeoutSeconds: 10_800 } });
  });
});

describe('an update of a service', () => {
  const change = async (from: Record<string, unknown>, to: Record<string, unknown>) =>
    updated('/services', (await make(from)).object, service => {
      service.spec = to;
    });

  test('may set the address once', async () => {
    assert.deepEqual((await change({ ports: [port] }, { ports: [port], clusterIP: '10.0.0.1' })).problems, []);
    const { problems } = await change(
      { ports: [port], clusterIP: '10.0.0.1' },
      { ports: [port], clusterIP: '10.0.0.2' },
    );
    assert.deepEqual(problems, ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set']);
  });

  test('keeps the address when it does not speak of it', async () => {
    const { object, problems } = await change({ ports: [port], clusterIP: '10.0.0.1' }, { ports: [{ port: 81 }] });
    assert.deepEqual(problems, []);
    assert.equal(object.spec['clusterIP'], '10.0.0.1');
    assert.deepEqual(object.spec['clusterIPs'], ['10.0.0.1']);
  });

  test('drops what belonged to the old type', async () => {
    const { object: live } = await make({ type: 'NodePort', ports: [{ ...port, nodePort: 30_000 }] });
    const { object, problems } = await updated('/services', live, service => {
      service.spec['type'] = 'ClusterIP';
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(object.spec['ports'], [{ port: 80, protocol: 'TCP', targetPort: 80 }]);
    assert.equal(object.spec['externalTrafficPolicy'], undefined);
  });
});
