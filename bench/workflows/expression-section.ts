import { createContext, Script } from 'node:vm';
import { compileExpression, evaluateExpression } from '@chandlery/workflow';
import type { Section } from '../runtime/report.ts';
import type { WorkflowSizes } from './options.ts';

const source = "inputs.parameters.name + '-' + string(inputs.parameters.count * 2 + 1)";
const script = "inputs.parameters.name + '-' + String(inputs.parameters.count * 2 + 1)";
const env = { inputs: { parameters: { name: 'a', count: 20 } } };

function perSecond(count: number, evaluate: () => unknown): number {
  for (let at = 0; at < count / 10; at++) evaluate();
  const startedAt = performance.now();
  for (let at = 0; at < count; at++) evaluate();
  return count / ((performance.now() - startedAt) / 1000);
}

/** Expressions, against one that compiles JavaScript for every value. */
export async function measureExpressions({ evaluations }: WorkflowSizes): Promise<Section> {
  const compiled = compileExpression(source);
  const ours = perSecond(evaluations, () => evaluateExpression(compiled, env));
  const uncached = perSecond(evaluations / 10, () => evaluateExpression(compileExpression(source), env));
  const context = createContext(env);
  const naive = perSecond(evaluations / 10, () => new Script(script).runInContext(context) as unknown);
  return {
    title: 'Expressions',
    baseline: 'vm.Script, compiled each time',
    rows: [
      { what: 'compiled once', unit: '/s', ours, baseline: naive },
      { what: 'compiled every time', unit: '/s', ours: uncached, baseline: naive },
    ],
  };
}
