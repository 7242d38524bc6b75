import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planSlices } from './endpoint-slices.ts';
import type { PodObject, Service } from './objects.ts';
import { type PodSketch, sketchPod } from './test-pods.ts';

const service = (spec: Partial<NonNullable<Service['spec']>> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'ns', labels: { team: 'a' } },
  spec: { ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
});

function pod(name: string, sketch: PodSketch = {}, containerPort = 8080): PodObject {
  const sketched = sketchPod(name, { readySince: 1, ...sketch });
  return {
    ...sketched,
    spec: { ...sketched.spec, containers: [{ name: 'main', ports: [{ name: 'http', containerPort }] }] },
  };
}

/** `port,port: pod+ready pod-unready pod~terminating`, a line for each slice. */
const show = (slices: ReturnType<typeof planSlices>): readonly string[] =>
  slices.map(({ ports = [], endpoints = [] }) => {
    const marks = endpoints.map(({ targetRef, conditions }) => {
      const mark = conditions.ready ? '+' : '-';
      return `${targetRef?.name}${mark}${conditions.serving ? 's' : ''}${conditions.terminating ? 't' : ''}`;
    });
    return `${ports.map(({ port }) => port).join()}: ${marks.join(' ')}`;
  });

describe('the slices of a service', () => {
  const dynamic = (port?: number): PodSketch => ({
    annotations: {
      'clusters.chandlery.io/dynamic-ports': 'http',
      ...(port === undefined ? {} : { 'clusters.chandlery.io/ports': JSON.stringify({ http: port }) }),
    },
  });
  for (const [why, asked, pods, expected] of [
    ['list ready pods', service(), [pod('a'), { ...sketchPod('b'), spec: pod('b').spec }], ['8080: a+s b-']],
    ['list terminating pods that still serve', service(), [pod('a', { isDeleted: true })], ['8080: a-st']],
    ['leave out who has ended', service(), [pod('a', { phase: 'Succeeded' })], [': ']],
    [
      'list all pods on request',
      service({ publishNotReadyAddresses: true }),
      [{ ...sketchPod('b'), spec: pod('b').spec }],
      ['8080: b+s'],
    ],
    [
      'are one for each set of ports',
      service(),
      [pod('a'), pod('b', {}, 9090), pod('c')],
      ['8080: a+s c+s', '9090: b+s'],
    ],
    [
      'know ports that the node chose',
      service(),
      [pod('a', dynamic(1001)), pod('b', dynamic(1002))],
      ['1001: a+s', '1002: b+s'],
    ],
    ['wait for the node to say which', service(), [pod('a', dynamic())], [': ']],
    [
      'also where the service speaks of numbers',
      service({ ports: [{ port: 8080 }] }),
      [pod('a', dynamic(1001))],
      ['1001: a+s'],
    ],
    ['take a number as it is', service({ ports: [{ port: 80, targetPort: 7000 }] }), [pod('a')], ['7000: a+s']],
    [
      'have no port that the pod does not name',
      service({ ports: [{ port: 80, targetPort: 'admin' }] }),
      [pod('a')],
      [': a+s'],
    ],
  ] as const) {
    test(why, () => assert.deepEqual(show(planSlices(asked, pods)), expected));
  }

  test('hold a hundred endpoints at most', () => {
    const pods = Array.from({ length: 205 }, (_, index) => pod(`p${String(index).padStart(3, '0')}`));
    const slices = planSlices(service(), pods);
    assert.deepEqual(
      slices.map(({ endpoints }) => endpoints?.length),
      [100, 100, 5],
    );
    assert.equal(new Set(slices.map(({ metadata }) => metadata.name)).size, 3);
  });

  test('bear the names and labels by which they are found again', () => {
    const [first] = planSlices(service({ clusterIP: 'None' }), [pod('a')]);
    assert.match(first?.metadata.name ?? '', /^web-[a-z0-9]{10}$/);
    assert.deepEqual(first?.metadata.labels, {
      team: 'a',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'service.kubernetes.io/headless': '',
    });
    assert.deepEqual(planSlices(service({ clusterIP: 'None' }), [pod('a')]), [first]);
  });
});
