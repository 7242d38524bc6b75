import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCertificateAuthority, silentLogger } from '@chandlery/platform';
import { findCondition, type StepContext } from '@chandlery/runtime';
import { trustOf } from '../../certificates/roots/trust.ts';
import { type MeshRootCertificate, meshRootCertificates, type RootRole } from '../../kinds/mesh-root-certificate.ts';
import type { RootDeps } from './root-deps.ts';
import { rotate } from './rotate.ts';

const start = new Date('2030-01-01T00:00:00Z');
const authority = createCertificateAuthority({ commonName: 'mesh', now: start });

function root(name: string, role: RootRole, replaces?: string): MeshRootCertificate {
  const spec = { role, trustDomain: 'cluster.local', validityDays: 1, ...(replaces === undefined ? {} : { replaces }) };
  return { ...meshRootCertificates.object({ name }, spec), status: { fingerprint: `print-of-${name}` } };
}

interface World {
  roots: readonly MeshRootCertificate[];
  /** The roots in the cache of this process. Default: all. */
  seen?: readonly MeshRootCertificate[];
  behind?: readonly string[];
  staying?: readonly string[];
  settleMs?: number;
}

/** Dependencies that record all changes. */
function createDeps({ roots, seen = roots, behind = [], staying = [], settleMs = 0 }: World) {
  const done: string[] = [];
  const deps: RootDeps = {
    acknowledgements: {
      haveAllAcknowledged: async () => ({ done: behind.length === 0, waitingFor: behind }),
      listCertifiedBy: async () => staying,
    },
    stepTimeoutMs: 60_000,
    settleMs: () => settleMs,
    pollMs: 7,
    trust: () =>
      trustOf(
        seen.map(({ metadata: { name = '' }, spec: { role, trustDomain } }) => ({
          name,
          role,
          trustDomain,
          createdAt: '',
          fingerprint: `print-of-${name}`,
          authority,
        })),
      ),
    listRoots: () => roots,
    ensureKey: () => assert.fail('not asked for'),
    setRole: async ({ metadata }, role) => void done.push(`${metadata.name} ${role}`),
    remove: async ({ metadata }) => void done.push(`${metadata.name} removed`),
  };
  return { deps, done };
}

const context = (more: Partial<StepContext> = {}): StepContext => ({
  key: 'new',
  now: start,
  signal: new AbortController().signal,
  failures: 0,
  isRequested: false,
  logger: silentLogger,
  ...more,
});

const standing = (fresh: RootRole, old: RootRole): [MeshRootCertificate, MeshRootCertificate] => [
  root('new', fresh, 'old'),
  root('old', old),
];

describe('A step of a rotation', () => {
  const cases: readonly { fresh: RootRole; old: RootRole; role: RootRole; done: readonly string[] }[] = [
    { fresh: 'inactive', old: 'active', role: 'passive', done: [] },
    { fresh: 'passive', old: 'active', role: 'active', done: [] },
    { fresh: 'active', old: 'active', role: 'active', done: ['old passive'] },
    { fresh: 'active', old: 'passive', role: 'active', done: ['old inactive'] },
    { fresh: 'active', old: 'inactive', role: 'active', done: ['old removed'] },
  ];
  for (const { fresh, old, role, done: expected } of cases) {
    it(`is taken from ${fresh} and ${old} when all proxies have followed`, async () => {
      const [object, other] = standing(fresh, old);
      const { deps, done } = createDeps({ roots: [structuredClone(object), other] });
      await rotate(object, deps, context());
      assert.deepEqual([object.spec.role, done], [role, expected]);
    });

    it(`is not taken from ${fresh} and ${old} while a proxy has not followed`, async () => {
      const [object, other] = standing(fresh, old);
      const { deps, done } = createDeps({ roots: [structuredClone(object), other], behind: ['p'] });
      assert.deepEqual(await rotate(object, deps, context()), { retryAfterMs: 7 });
      assert.deepEqual([object.spec.role, done], [fresh, []]);
      assert.match(findCondition(object, 'Rotated')?.message ?? '', /waits for proxies .*: p\.$/);
    });
  }

  const heldUp: readonly { why: string; fresh: RootRole; old: RootRole; registry: Partial<World>; message: RegExp }[] =
    [
      {
        why: 'a proxy is of the old root',
        fresh: 'active',
        old: 'passive',
        registry: { staying: ['p'] },
        message: /new root: p/,
      },
      {
        why: 'this process has not seen the last step',
        fresh: 'passive',
        old: 'active',
        registry: { seen: standing('inactive', 'active') },
        message: /see the last step/,
      },
    ];
  for (const { why, fresh, old, registry, message } of heldUp) {
    it(`is not taken from ${fresh} and ${old} while ${why}`, async () => {
      const [object, other] = standing(fresh, old);
      const { deps, done } = createDeps({ roots: [structuredClone(object), other], ...registry });
      await rotate(object, deps, context());
      assert.deepEqual([object.spec.role, done], [fresh, []]);
      assert.match(findCondition(object, 'Rotated')?.message ?? '', message);
    });
  }

  it('times out, and is not continued before a reconcile is requested', async () => {
    const [object, other] = standing('passive', 'active');
    const roots = [structuredClone(object), other];
    const reasonAt = async (
      seconds: number,
      registry: Partial<World>,
      isRequested = false,
    ): Promise<string | undefined> => {
      const now = new Date(start.getTime() + seconds * 1000);
      await rotate(object, createDeps({ roots, ...registry }).deps, context({ now, isRequested }));
      return findCondition(object, 'Rotated')?.reason;
    };
    assert.equal(await reasonAt(0, { behind: ['p'] }), 'Waiting');
    assert.equal(await reasonAt(59, { behind: ['p'] }), 'Waiting');
    assert.equal(await reasonAt(60, { behind: ['p'] }), 'TimedOut');
    assert.equal(await reasonAt(61, {}), 'TimedOut', 'all have followed, too late');
    assert.equal(object.spec.role, 'passive');
    assert.equal(await reasonAt(62, { behind: ['p'] }, true), 'Waiting', 'a request gives it new time');
    assert.equal(await reasonAt(100, {}), 'Rotating');
    assert.equal(object.spec.role, 'active');
  });

  it('is taken only when all proxies have followed for a while, without interruption', async () => {
    const [object, other] = standing('passive', 'active');
    const roots = [structuredClone(object), other];
    const roleAt = async (seconds: number, behind: readonly string[]): Promise<RootRole> => {
      const now = new Date(start.getTime() + seconds * 1000);
      await rotate(object, createDeps({ roots, behind, settleMs: 5000 }).deps, context({ now }));
      return object.spec.role;
    };
    assert.equal(await roleAt(0, []), 'passive');
    assert.equal(await roleAt(4, []), 'passive');
    assert.equal(await roleAt(5, ['p']), 'passive', 'one was not told yet when it seemed that all had followed');
    assert.equal(await roleAt(6, []), 'passive');
    assert.equal(await roleAt(10, []), 'passive');
    assert.equal(await roleAt(11, []), 'active');
  });

  it('has the same message as long as it waits for the same proxies', async () => {
    const [object, other] = standing('passive', 'active');
    const { deps } = createDeps({ roots: [structuredClone(object), other], behind: ['b', 'a'] });
    await rotate(object, deps, context());
    const status = structuredClone(object.status);
    await rotate(object, deps, context({ now: new Date(start.getTime() + 1000) }));
    assert.deepEqual(object.status, status);
  });
});
