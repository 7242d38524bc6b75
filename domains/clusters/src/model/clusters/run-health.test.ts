import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeNodes, type Finding, isSchedulable, judgeReady, type NodeState, runReadiness } from './run-health.ts';

const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const finding = (status: Finding['status'], reason = 'Test'): Finding => ({ status, reason, message: '.' });

describe('A node', () => {
  const cases: readonly { why: string; node: NodeState; takesPods: boolean }[] = [
    { why: 'it is ready', node: { status: ready }, takesPods: true },
    { why: 'it says nothing', node: {}, takesPods: false },
    {
      why: 'it is not ready',
      node: { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
      takesPods: false,
    },
    { why: 'it is cordoned', node: { spec: { unschedulable: true }, status: ready }, takesPods: false },
    { why: 'it is tainted', node: { spec: { taints: [{ effect: 'NoSchedule' }] }, status: ready }, takesPods: false },
    {
      why: 'it would rather not',
      node: { spec: { taints: [{ effect: 'PreferNoSchedule' }] }, status: ready },
      takesPods: true,
    },
  ];
  for (const { why, node, takesPods } of cases) {
    it(`${takesPods ? 'takes' : 'does not take'} pods when ${why}`, () => assert.equal(isSchedulable(node), takesPods));
  }
});

describe('The health of what runs pods', () => {
  it('follows from the nodes', () => {
    const of = (isAny: boolean, isSchedulable: boolean) => {
      const { status, reason } = describeNodes({ isAny, isSchedulable });
      return `${status} ${reason}`;
    };
    assert.deepEqual(
      [of(true, true), of(true, false), of(false, false)],
      ['True NodesReady', 'False NodesNotReady', 'False NoNode'],
    );
  });

  it('is said of clusters with Run alone, also when nothing is known', () => {
    assert.equal(runReadiness(['API'], finding('False')), undefined);
    assert.equal(runReadiness(['API', 'Run'], finding('False'))?.status, 'False');
    assert.equal(runReadiness(['API', 'Run'], undefined)?.reason, 'NodesUnknown');
  });

  const cases: readonly { api: 'True' | 'False'; run?: Finding['status']; promised: boolean; expected: string }[] = [
    { api: 'True', promised: false, expected: 'True api' },
    { api: 'True', run: 'True', promised: true, expected: 'True api' },
    { api: 'True', run: 'Unknown', promised: true, expected: 'True api' },
    { api: 'True', run: 'False', promised: false, expected: 'True api' },
    { api: 'True', run: 'False', promised: true, expected: 'False run' },
    { api: 'False', run: 'False', promised: true, expected: 'False api' },
  ];
  for (const { api, run, promised, expected } of cases) {
    it(`makes Ready "${expected}": API ${api}, Run ${run ?? 'absent'}, ${promised ? 'promised' : 'not promised'}`, () => {
      const judged = judgeReady(finding(api, 'api'), run && finding(run, 'run'), promised);
      assert.equal(`${judged.status} ${judged.reason}`, expected);
    });
  }
});
