import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveEnvironment } from './environment.ts';
import { expand } from './expand.ts';
import { findImage } from './images.ts';
import { rewritePaths } from './mounts.ts';
import type { Container, Pod } from './pod.ts';
import { readField, readResource } from './pod-fields.ts';

const machine = { name: 'here', cpus: 4, memoryBytes: 1024 };
const main: Container = {
  name: 'main',
  resources: { limits: { cpu: '1500m', memory: '64Mi' }, requests: { cpu: '250m' } },
};
const pod: Pod = {
  uid: 'u',
  name: 'p',
  namespace: 'n',
  labels: { app: 'a"b', 'x/y': 'z' },
  annotations: {},
  spec: { containers: [main, { name: 'free' }] },
  status: undefined,
};

describe('expansion of variables', () => {
  const cases = [
    ['$(A)', '1'],
    ['a$(A)b$(B)', 'a1b2'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$1'],
    ['$$$$(A)', '$$(A)'],
    ['$(C)', '$(C)'],
    ['$A', '$A'],
    ['$(A', '$(A'],
    ['$', '$'],
    ['$$', '$'],
    ['a$', 'a$'],
    ['$()', '$()'],
    ['$(constructor)', '$(constructor)'],
    ['', ''],
  ] as const;
  for (const [text, expected] of cases) {
    test(`${JSON.stringify(text)} becomes ${JSON.stringify(expected)}`, () => {
      assert.equal(expand(text, { A: '1', B: '2' }), expected);
    });
  }
});

describe('images', () => {
  const images = Object.fromEntries(
    ['postgres:*', 'postgres:16', 'acme/*', 'ghcr.io/acme/tool', 'redis'].map(name => [name, { command: [name] }]),
  );
  const cases = [
    ['postgres', 'postgres:*'],
    ['docker.io/library/postgres:15', 'postgres:*'],
    ['postgres:16', 'postgres:16'],
    ['acme/a/b:1', 'acme/*'],
    ['ghcr.io/acme/tool:v1', 'ghcr.io/acme/tool'],
    ['ghcr.io/acme/tool@sha256:12', 'ghcr.io/acme/tool'],
    ['ghcr.io/acme/tools:v1', undefined],
    ['redis', 'redis'],
    ['myredis', undefined],
    ['localhost:5000/x', undefined],
  ] as const;
  for (const [image, expected] of cases) {
    test(`${image} is ${expected ?? 'unknown'}`, () => assert.equal(findImage(images, image)?.command[0], expected));
  }
});

describe('mount paths', () => {
  const mounts = [
    { mountPath: '/data', hostPath: '/H' },
    { mountPath: '/data/sub/', hostPath: '/S' },
  ];
  const cases = [
    ['/data', '/H'],
    ['--dir=/data/x', '--dir=/H/x'],
    ['/srv/data', '/srv/data'],
    ['/database', '/database'],
    ['file:///data', 'file:///H'],
    ['/data/sub/a:/data', '/S/a:/H'],
    ['cat /data/k; x', 'cat /H/k; x'],
    ['/data.txt', '/data.txt'],
    ['plain', 'plain'],
    ['a//data', 'a//data'],
  ] as const;
  for (const [text, expected] of cases) {
    test(`${text} becomes ${expected}`, () => assert.equal(rewritePaths(text, mounts), expected));
  }
});

describe('fields of a pod', () => {
  const fields = [
    ['metadata.name', 'p'],
    ['metadata.namespace', 'n'],
    ['metadata.uid', 'u'],
    ["metadata.labels['x/y']", 'z'],
    ["metadata.labels['no']", ''],
    ['metadata.labels', 'app="a\\"b"\nx/y="z"'],
    ['spec.nodeName', 'here'],
    ['spec.serviceAccountName', 'default'],
    ['status.podIP', '127.0.0.1'],
  ] as const;
  for (const [fieldPath, expected] of fields) {
    test(`${fieldPath} is read`, () => assert.equal(readField(pod, { fieldPath }, machine), expected));
  }
  test('an unknown field is refused', () => {
    assert.throws(() => readField(pod, { fieldPath: 'spec.x' }, machine), { code: 'CreateContainerConfigError' });
  });

  const resources = [
    [{ resource: 'limits.cpu' }, '2'],
    [{ resource: 'limits.cpu', divisor: '1m' }, '1500'],
    [{ resource: 'limits.memory', divisor: '1Mi' }, '64'],
    [{ resource: 'requests.cpu', divisor: '1m' }, '250'],
    [{ resource: 'requests.memory', divisor: '1Ki' }, '65536'],
    [{ resource: 'limits.cpu', containerName: 'free' }, '4'],
    [{ resource: 'limits.memory', containerName: 'free', divisor: 0 }, '1024'],
    [{ resource: 'requests.cpu', containerName: 'free' }, '0'],
  ] as const;
  for (const [reference, expected] of resources) {
    test(`${JSON.stringify(reference)} is ${expected}`, () =>
      assert.equal(readResource(pod, main, reference, machine), expected));
  }
});

describe('the environment', () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text);
  const sources = { secrets: { s: { k: bytes('secret') } }, configMaps: { c: { k: bytes('config') } } };
  const resolve = (container: Partial<Container>) =>
    resolveEnvironment({ pod, container: { ...main, ...container }, sources, machine }, { GIVEN: 'g' });

  test('later variables see earlier ones and replace them', () => {
    const env = [
      { name: 'A', value: '$(GIVEN)1' },
      { name: 'B', value: '$(A)$(C)' },
      { name: 'C', value: 'c' },
      { name: 'A', value: '$(A)!' },
      { name: 'D' },
    ];
    assert.deepEqual(resolve({ env }), { GIVEN: 'g', A: 'g1!', B: 'g1$(C)', C: 'c', D: '' });
  });
  test('values from elsewhere are not expanded, and optional ones may be missing', () => {
    const env = [
      { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      { name: 'N', valueFrom: { configMapKeyRef: { name: 'no', key: 'k', optional: true } } },
    ];
    const envFrom = [
      { prefix: 'P_', secretRef: { name: 's' } },
      { configMapRef: { name: 'c' } },
      { configMapRef: { name: 'no', optional: true } },
    ];
    assert.deepEqual(resolve({ env, envFrom }), { GIVEN: 'g', P_k: 'secret', k: 'config', S: 'secret' });
  });
  const rejections = [
    [{ env: [{ name: 'S', valueFrom: { secretKeyRef: { name: 'no', key: 'k' } } }] }, 'secret "no" not found'],
    [
      { env: [{ name: 'S', valueFrom: { configMapKeyRef: { name: 'c', key: 'no' } } }] },
      "couldn't find key no in configmap c",
    ],
    [{ envFrom: [{ configMapRef: { name: 'no' } }] }, 'configmap "no" not found'],
  ] as const;
  for (const [container, message] of rejections) {
    test(`says ${message}`, () =>
      assert.throws(() => resolve(container), { code: 'CreateContainerConfigError', message }));
  }
});
