import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startTestWorkflows } from '../../domains/orders/src/test-workflows.ts';
import type { Section } from '../runtime/report.ts';
import { chain } from './documents.ts';
import type { WorkflowSizes } from './options.ts';

const aimMs = 20;

async function spawnOnce(): Promise<void> {
  await once(spawn('true', { stdio: 'ignore' }), 'exit');
}

/** A step with a real process, against the process alone. */
export async function measureProcesses({ processes }: WorkflowSizes): Promise<Section> {
  await using test = await startTestWorkflows();
  await test.execute(JSON.stringify(chain(3)));
  const bareAt = performance.now();
  for (let at = 0; at < processes; at++) await spawnOnce();
  const bareMs = (performance.now() - bareAt) / processes;
  const startedAt = performance.now();
  await test.execute(JSON.stringify(chain(processes)));
  const stepMs = (performance.now() - startedAt) / processes;
  const overMs = stepMs - bareMs;
  return {
    title: 'Steps with real processes, one after the other',
    baseline: 'bare spawn',
    rows: [
      { what: 'wall time of a step', unit: 'ms', ours: stepMs, baseline: bareMs },
      { what: 'over a bare spawn', unit: 'ms', ours: overMs, aim: { text: `≤ ${aimMs} ms`, isMet: overMs <= aimMs } },
    ],
    remarks: ['A step creates a pod in namespaces of its own, stores its log and outputs, and lets it go.'],
  };
}
