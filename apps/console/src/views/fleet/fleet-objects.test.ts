import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stepsUntil } from '../../ui/steps.ts';
import {
  clusterLife,
  instanceLife,
  markOfCluster,
  markOfInstance,
  markOfRollout,
  versionText,
} from './fleet-objects.ts';

describe('marks of the fleet', () => {
  it('keep the word of the domain beside a state that all kinds have', () => {
    assert.deepEqual(markOfCluster('cluster_provisioning'), { state: 'waiting', word: 'Provisioning' });
    assert.deepEqual(markOfCluster('cleanup'), { state: 'deleting', word: 'Cleanup' });
    assert.deepEqual(markOfInstance('suspended'), { state: 'exists', word: 'Suspended' });
    assert.deepEqual(markOfInstance(undefined), { state: 'waiting', word: 'Accepted' });
    assert.deepEqual(markOfRollout('Paused'), { state: 'deleting', word: 'Paused', symbol: '‖' });
  });

  it('say what runs and what will', () => {
    assert.equal(versionText('1.0.2', '1.0.2'), '1.0.2');
    assert.equal(versionText('1.0.2', '1.1.0'), '1.0.2, then 1.1.0');
    assert.equal(versionText(undefined, '1.0.2'), 'none yet, then 1.0.2');
    assert.equal(versionText(undefined, undefined), '–');
  });
});

describe('steps', () => {
  const states = (...given: Parameters<typeof stepsUntil>) => stepsUntil(...given).map(({ state }) => state);

  it('are done until the present one', () => {
    assert.deepEqual(states(instanceLife, 'provisioning'), ['done', 'done', 'now', 'later']);
    assert.deepEqual(states(clusterLife, 'ready'), ['done', 'done', 'done', 'done', 'done']);
  });

  it('fail where it stopped, and are all later when that is not known', () => {
    assert.deepEqual(states(instanceLife, 'preparing', true), ['done', 'failed', 'later', 'later']);
    assert.deepEqual(states(instanceLife, 'failed'), ['later', 'later', 'later', 'later']);
  });
});
