import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition } from '@chandlery/runtime';
import type { CommandContext } from '../../command.ts';
import { followObject } from '../../landscape/follow-object.ts';
import { listenForStop } from '../../landscape/stop-signal.ts';
import { reportProgress } from '../../output/progress.ts';
import { applyConfigs } from './apply-installation.ts';
import type { Installation } from './installation.ts';
import { retryFailedInit } from './retry-failed-init.ts';

export interface AwaitedProvider extends Pick<Installation, 'configs'> {
  /** As it was stored: this generation has to become ready. */
  readonly provider: Provider;
  readonly timeoutMs: number;
}

/**
 * Waits until a provider is ready for a generation, and applies its configuration in between. Shows the progress from
 * its conditions. Rejects with `InitFailed` at the first failure of init, `Timeout` or `Interrupted`.
 */
export async function awaitProvider(
  context: CommandContext,
  platform: Client,
  { provider, configs, timeoutMs }: AwaitedProvider,
): Promise<void> {
  const { name = '', generation } = provider.metadata;
  using stop = listenForStop();
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([stop.signal, timeout]);
  using report = reportProgress(context.stderr);
  const progress = { last: '' };
  const onState = (state: string, message: string): void => {
    progress.last = message;
    report(state, message);
  };
  try {
    const hasSucceeded = await retryFailedInit(platform, provider, signal);
    await untilReady(platform, { name, configs, generation, signal, onState, hasSucceeded });
  } catch (thrown) {
    if (stop.signal.aborted) throw interrupted(name);
    throw timeout.aborted ? tooLate(context, name, progress.last) : thrown;
  }
}

export interface ReadyOptions extends Pick<Installation, 'name' | 'configs'> {
  /** The generation that has to become ready. */
  readonly generation: number | undefined;
  readonly signal: AbortSignal;
  /** Called with what is waited for, and why it is not there yet. */
  readonly onState: (state: string, message: string) => void;
  /** Init has succeeded, so that a failure in the status is an earlier one. Default false. */
  readonly hasSucceeded?: boolean;
}

/** Waits for `Initialized`, applies the configuration, and waits for `Ready`, all for one generation. */
export async function untilReady(platform: Client, options: ReadyOptions): Promise<void> {
  await untilTrue(platform, 'Initialized', options);
  await applyConfigs(platform, options);
  await untilTrue(platform, 'Ready', options);
}

async function untilTrue(
  platform: Client,
  type: 'Initialized' | 'Ready',
  { name, generation = 0, signal, onState, hasSucceeded = false }: ReadyOptions,
): Promise<void> {
  const isDone = (provider: Provider | undefined): boolean => {
    if (provider === undefined) throw new ChandleryError('NotFound', `the ServiceProvider "${name}" was deleted`);
    const condition = findCondition(provider, type);
    const isCurrent = (condition?.observedGeneration ?? 0) >= generation;
    if (condition?.status === 'True' && isCurrent) return true;
    const { reason, message = '' } = (isCurrent && condition) || {};
    if (reason === 'NoNode' || (reason === 'InitFailed' && !hasSucceeded)) throw notInstalled(name, reason, message);
    onState(`waiting for ${type}`, message);
    return false;
  };
  await followObject<Provider>(platform, { ...serviceProviders.ref, name }, { isDone, signal });
}

const notInstalled = (name: string, reason: string, message: string): ChandleryError =>
  new ChandleryError(reason, firstLine(message), {
    hint:
      reason === 'NoNode'
        ? `It waits for them: "npx chandlery provider kubeconfig ${name} --init" writes the kubeconfig of its init, "install --wait=false" does not wait.`
        : `Mend it and run the command again; "npx chandlery provider logs ${name} --init" prints the whole log.`,
  });

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

const interrupted = (name: string): ChandleryError =>
  new ChandleryError('Interrupted', 'it was interrupted; the landscape continues with what was applied', {
    hint: `"npx chandlery provider describe ${name}" shows how far it is, "npx chandlery provider uninstall ${name}" removes it.`,
  });

function tooLate({ flags }: CommandContext, name: string, last: string): ChandleryError {
  const dataDir = flags.text('data-dir');
  return new ChandleryError('Timeout', `it is not ready in time${last === '' ? '' : `: ${last}`}`, {
    hint: `It continues: "npx chandlery provider describe ${name}${dataDir === undefined ? '' : ` --data-dir ${dataDir}`}" shows how far it is.`,
  });
}
