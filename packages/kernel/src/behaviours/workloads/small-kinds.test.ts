import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { created, updated } from './test-writes.ts';

describe('a lease', () => {
  const times: readonly (readonly [string, string])[] = [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000000Z'],
    ['2026-01-02T03:04:05.123Z', '2026-01-02T03:04:05.123000Z'],
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456Z'],
    ['2026-01-02T03:04:05.123456+01:00', '2026-01-02T03:04:05.123456+01:00'],
  ];
  for (const [given, stored] of times) {
    test(`stores ${given} as Go clients read it`, async () => {
      const { object, problems } = await created('coordination.k8s.io/leases', { spec: { renewTime: given } });
      assert.deepEqual(problems, []);
      assert.deepEqual(object['spec'], { renewTime: stored });
    });
  }

  const wrong = [{ leaseDurationSeconds: 0 }, { leaseTransitions: -1 }, { renewTime: 'yesterday' }];
  for (const spec of wrong) {
    test(`of ${JSON.stringify(spec)} is rejected`, async () => {
      const { problems } = await created('coordination.k8s.io/leases', { spec });
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.startsWith(`spec.${Object.keys(spec)[0]}: `));
    });
  }

  test('may be empty', async () => assert.deepEqual((await created('coordination.k8s.io/leases', {})).problems, []));
});

describe('an event', () => {
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ['lives beside its object', 'a', 'a', true],
    ['does not live elsewhere', 'b', 'a', false],
    ['of the whole cluster lives in default', '', 'default', true],
    ['of the whole cluster lives nowhere else', '', 'kube-system', false],
  ];
  for (const [why, about, namespace, isRight] of cases) {
    test(why, async () => {
      const { problems } = await created('/events', { involvedObject: { namespace: about } }, { namespace });
      const expected = `involvedObject.namespace: Invalid value: "${about}": does not match event.namespace`;
      assert.deepEqual(problems, isRight ? [] : [expected]);
    });
  }

  test('of the newer group says who saw what and when', async () => {
    const fields = {
      eventTime: '2026-01-02T03:04:05Z',
      reportingController: 'example.org/c',
      reportingInstance: 'c-1',
      action: 'Look',
      reason: 'Seen',
      type: 'Normal',
    };
    assert.deepEqual((await created('events.k8s.io/events', fields)).problems, []);
    const { problems } = await created('events.k8s.io/events', {});
    assert.equal(problems.length, 6);
  });
});

describe('a claim', () => {
  type Claim = KubeObject & { spec: Record<string, unknown> };
  const resource = '/persistentvolumeclaims';
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const grown = (storage: string) => ({ resources: { requests: { storage } } });

  test('waits', async () => {
    const { object, problems } = await created(resource, { spec });
    assert.deepEqual(problems, []);
    assert.deepEqual(object['status'], { phase: 'Pending' });
  });

  test('says how much, and how it is mounted', async () => {
    assert.deepEqual((await created(resource, {})).problems, [
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ]);
    assert.match(
      (await created(resource, { spec: { ...spec, accessModes: ['Any'] } })).problems.join(),
      /Unsupported value: "Any"/,
    );
  });

  const changes: readonly (readonly [string, object, string | undefined])[] = [
    ['grow', grown('2Gi'), undefined],
    ['say the same in other words', grown('1024Mi'), undefined],
    ['shrink', grown('1Mi'), 'spec.resources.requests.storage: Forbidden: field can not be less than previous value'],
    ['be bound', { volumeName: 'v' }, undefined],
    ['get a class', { storageClassName: 'fast' }, undefined],
    [
      'be mounted otherwise',
      { accessModes: ['ReadOnlyMany'] },
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ],
  ];
  for (const [why, change, problem] of changes) {
    test(`${problem === undefined ? 'may' : 'may not'} ${why}`, async () => {
      const { object: live } = await created<Claim>(resource, { spec });
      const { problems } = await updated(resource, live, claim => {
        Object.assign(claim.spec, structuredClone(change));
      });
      assert.deepEqual(problems, problem === undefined ? [] : [problem]);
    });
  }
});

describe('an ingress', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const rule = (path: object, host = 'example.com') => ({ rules: [{ host, http: { paths: [path] } }] });
  const at = 'spec.rules[0].http.paths[0]';
  const cases: readonly (readonly [string, object, readonly string[]])[] = [
    ['a path', rule({ path: '/', pathType: 'Prefix', backend }), []],
    ['any host', rule({ pathType: 'ImplementationSpecific', backend }, '*.example.com'), []],
    ['just a default', { defaultBackend: backend }, []],
    ['nothing', {}, ['spec: Invalid value: {}: either `defaultBackend` or `rules` must be specified']],
    [
      'half a path',
      rule({ path: 'a', pathType: 'Exact', backend }),
      [`${at}.path: Invalid value: "a": must be an absolute path`],
    ],
    [
      'no backend',
      rule({ path: '/', pathType: 'Exact', backend: {} }),
      [`${at}.backend: Required value: resource or service backend is required`],
    ],
    [
      'no port',
      rule({ path: '/', pathType: 'Exact', backend: { service: { name: 'web' } } }),
      [`${at}.backend.service.port: Required value: port name or number is required`],
    ],
    [
      'an address for a host',
      rule({ path: '/', pathType: 'Exact', backend }, '10.0.0.1'),
      ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
    ],
  ];
  for (const [why, spec, problems] of cases) {
    test(why, async () =>
      assert.deepEqual((await created('networking.k8s.io/ingresses', { spec })).problems, problems),
    );
  }
});

describe('a disruption budget', () => {
  const resource = 'policy/poddisruptionbudgets';
  test('is stated from one side', async () => {
    assert.deepEqual((await created(resource, { spec: { minAvailable: '50%' } })).problems, []);
    const { problems } = await created(resource, { spec: { minAvailable: 1, maxUnavailable: 1 } });
    assert.match(problems.join(), /minAvailable and maxUnavailable cannot be both set$/);
  });

  test('is a number or a share', async () => {
    assert.match(
      (await created(resource, { spec: { minAvailable: 'many' } })).problems.join(),
      /a valid percent string/,
    );
  });
});
