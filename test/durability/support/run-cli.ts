import { join } from 'node:path';
import { type ProcessResult, type RunningProcess, runProcess, startProcess } from '@chandlery/testing';

const program = join(import.meta.dirname, '../../../apps/cli/bin/chandlery.mjs');

/** Runs `chandlery …` to its end. */
export const runCli = (...args: readonly string[]): Promise<ProcessResult> =>
  runProcess(process.execPath, [program, ...args], { timeoutMs: 120_000 });

/** Starts `chandlery …`, and waits until it has printed what shows that it is ready. */
export const startCli = (ready: RegExp, ...args: readonly string[]): Promise<RunningProcess> =>
  startProcess(process.execPath, [program, ...args], { ready });
