import { join } from 'node:path';
import { type ProcessResult, runProcess } from '@chandlery/testing';

const program = join(import.meta.dirname, '../../../apps/cli/bin/chandlery.mjs');

/** Runs `chandlery …` to its end. */
export const runCli = (...args: readonly string[]): Promise<ProcessResult> =>
  runProcess(process.execPath, [program, ...args], { timeoutMs: 120_000 });
