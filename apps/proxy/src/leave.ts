import { setTimeout as pause } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import { type Withdrawal, type WithdrawDeps, withdrawBrokers } from './worker/withdraw-brokers.ts';

export interface LeaveOptions extends WithdrawDeps {
  /** How long the platform may take to remove what it has accepted to remove. */
  readonly timeoutMs: number;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
}

const pollMs = 200;

/**
 * Deregisters the proxy from its platform: removes every broker that it has registered. Rejects with `LeaveIncomplete`
 * when a broker is in use or cannot be removed; what was removed stays removed, and the command can be given again.
 */
export async function leave(options: LeaveOptions): Promise<void> {
  const { timeoutMs, print } = options;
  const deadline = performance.now() + timeoutMs;
  const printed = new Set<string>();
  for (;;) {
    const withdrawal = await withdrawBrokers(options);
    for (const name of withdrawal.removed) if (!printed.has(name)) print(`deregistering ${name}`);
    for (const name of withdrawal.removed) printed.add(name);
    if (withdrawal.own === 0) return print(`left the platform; brokers deregistered: ${printed.size}`);
    if (withdrawal.remaining.length > 0) throw incomplete(withdrawal);
    if (performance.now() > deadline) throw tooSlow(withdrawal);
    await pause(pollMs);
  }
}

function incomplete({ remaining }: Withdrawal): ChandleryError {
  const lines = remaining.map(({ name, why }) => `  ${name}: ${why}`);
  return new ChandleryError('LeaveIncomplete', `brokers are still registered at the platform:\n${lines.join('\n')}`, {
    hint: 'Delete what uses them while the proxy runs, stop the proxy, then leave again.',
  });
}

const tooSlow = ({ removed }: Withdrawal): ChandleryError =>
  new ChandleryError('LeaveIncomplete', `the platform has not removed these brokers yet: ${removed.join(', ')}`, {
    hint: 'Run leave again to continue waiting.',
  });
