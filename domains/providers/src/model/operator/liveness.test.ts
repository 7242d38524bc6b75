import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { livenessExpiresInMs, readLiveness } from './liveness.ts';

const now = new Date('2030-01-01T12:00:00Z');
const lease = (spec: object): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'foo-liveness' },
  spec: { holderIdentity: 'host-1', leaseDurationSeconds: 40, renewTime: '2030-01-01T11:59:30.000000Z', ...spec },
});

describe('A run part outside of the landscape', () => {
  const cases: readonly { why: string; lease: KubeObject | undefined; state: string; leftMs?: number }[] = [
    { why: 'reports in time', lease: lease({}), state: 'True RunsElsewhere', leftMs: 10_000 },
    { why: 'reported too long ago', lease: lease({ leaseDurationSeconds: 30 }), state: 'False NotRunning' },
    { why: 'has stopped', lease: lease({ holderIdentity: '' }), state: 'False NotRunning' },
    { why: 'was never started', lease: lease({ renewTime: undefined }), state: 'False NotRunning' },
    { why: 'does not report', lease: undefined, state: 'True RunsElsewhere' },
  ];
  for (const { why, lease: found, state, leftMs } of cases) {
    it(why, () => {
      const { status, reason } = readLiveness(found, now);
      assert.equal(`${status} ${reason}`, state);
      assert.equal(livenessExpiresInMs(found, now), leftMs);
    });
  }
});
