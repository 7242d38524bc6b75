import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Template } from '../document/template.ts';
import type { Runner, RunReport } from './runner.ts';

/** Templates that mean the same to every runner. */
export interface ContractTemplates {
  readonly print: (text: string) => Template;
  readonly exit: (code: number) => Template;
  readonly hang: () => Template;
}

/** What every runner must do. */
export function testRunner(name: string, open: () => { runner: Runner; templates: ContractTemplates }): void {
  test(`${name}: reports the start, then the end with exit code and result`, async () => {
    const { runner, templates } = open();
    const reports = await run(runner, 'a', templates.print('hello'));
    await runner.close();
    assert.deepEqual(
      reports.map(({ kind }) => kind),
      ['started', 'ended'],
    );
    const [, ended] = reports;
    assert.ok(ended?.kind === 'ended');
    assert.deepEqual([ended.exitCode, ended.result], [0, 'hello\n']);
  });

  test(`${name}: reports a failure with its exit code`, async () => {
    const { runner, templates } = open();
    const ended = (await run(runner, 'a', templates.exit(3))).at(-1);
    await runner.close();
    assert.ok(ended?.kind === 'ended');
    assert.equal(ended.exitCode, 3);
  });

  test(`${name}: kills what hangs, once, and reports a signal`, async () => {
    const { runner, templates } = open();
    runner.kill('unknown', 1);
    const reports = await run(runner, 'a', templates.hang(), () => {
      runner.kill('a', 5);
      runner.kill('a', 5);
    });
    await runner.close();
    const ended = reports.at(-1);
    assert.ok(ended?.kind === 'ended');
    assert.equal(ended.exitCode, 143);
    assert.equal(reports.length, 2);
  });

  test(`${name}: close ends what still runs`, async () => {
    const { runner, templates } = open();
    let closing: Promise<void> | undefined;
    const reports = await run(runner, 'a', templates.hang(), () => {
      closing = runner.close();
    });
    await closing;
    assert.equal(reports.at(-1)?.kind, 'ended');
  });
}

/** Starts a node and waits for its end. */
export function run(runner: Runner, node: string, template: Template, started?: () => void): Promise<RunReport[]> {
  const reports: RunReport[] = [];
  const action = {
    kind: 'start',
    node,
    nodeId: `id-${node}`,
    podName: `pod-${node}`,
    template,
    attempt: 0,
    captureResult: true,
    isExitHandler: false,
    isDaemon: false,
  } as const;
  return new Promise(resolve => {
    runner.start({ workflow: { name: 'wf', namespace: 'ns', uid: 'u' }, action }, report => {
      reports.push(report);
      if (report.kind === 'started') started?.();
      else resolve(reports);
    });
  });
}
