import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outputs } from '../document/parameters.ts';
import { type Simulated, type SimulateOptions, simulate, treeOf } from './test-simulate.ts';

/** A document and what must come out of it. */
export interface Case {
  readonly why: string;
  /** The spec, in YAML, without the templates of {@link commonTemplates}. */
  readonly spec: string;
  readonly options?: SimulateOptions;
  readonly phase: string;
  readonly message?: string;
  /** Lines `name | type | phase | message`, in the order of creation. Default: not compared. */
  readonly tree?: string;
  /** Outputs of the workflow. Default: not compared. */
  readonly outputs?: Outputs;
  readonly check?: (run: Simulated) => void;
}

/** Templates that cases use: `say` prints its input, `do` does what its input says. */
const commonTemplates = `
  - name: say
    inputs: {parameters: [{name: text, value: hello}]}
    container: {image: x, args: ["echo {{inputs.parameters.text}}"]}
  - name: do
    inputs: {parameters: [{name: what}]}
    container: {image: x, args: ["{{inputs.parameters.what}}"]}
  - name: fail
    container: {image: x, args: ["exit 1"]}
  - name: give
    inputs: {parameters: [{name: text, value: given}]}
    container: {image: x, args: ["write /out {{inputs.parameters.text}}"]}
    outputs: {parameters: [{name: out, valueFrom: {path: /out}}]}
`;

export const documentOf = (spec: string): string => `
metadata: {name: wf, namespace: ns, labels: {team: red}}
spec:
${spec.replace(/^\n/, '').replace(/\n\s*$/, '\n')}${commonTemplates}`;

/** Runs each document twice: straight on, and restored from what was stored after every step. */
export function runCases(cases: readonly Case[]): void {
  for (const given of cases) {
    for (const isRestored of [false, true]) {
      test(`${given.why}${isRestored ? ', restored after every step' : ''}`, () => {
        compare(given, simulate(documentOf(given.spec), { ...given.options, isRestored }));
      });
    }
  }
}

function compare({ phase, message, tree, outputs, check }: Case, run: Simulated): void {
  const { status } = run;
  const shown = treeOf(run).join('\n');
  assert.deepEqual({ phase: status.phase, message: status.message }, { phase, message }, shown);
  if (tree !== undefined) assert.equal(shown, tree.trim().replace(/^ +/gm, ''));
  if (outputs !== undefined) assert.deepEqual(status.outputs, outputs);
  check?.(run);
}
