import type { Client, ResourceRef } from '@chandlery/client';
import { type Clock, randomIds, systemClock } from '@chandlery/platform';
import { createConnector } from './connector.ts';
import type { StepResult, ValidationReport } from './report.ts';
import { checkIsolation, consume } from './steps/consume.ts';
import { checkDefinition } from './steps/definitions.ts';
import { checkBlockedDelete, checkDelete, checkDomain } from './steps/domain.ts';
import { checkDrift } from './steps/drift.ts';
import { checkFailedInit, installProvider, isInstalled } from './steps/install.ts';
import { checkAdoption, checkEnd, checkKept, checkOrphan, checkProviderRemoval, tearDown } from './steps/leave.ts';
import { checkConfigChoice, checkPolicies } from './steps/manage.ts';
import { checkConfigChange, checkCrash, checkOperations, checkUserError } from './steps/operate.ts';
import { checkClusterProvider, checkClusters } from './steps/setup.ts';
import { checkShared } from './steps/shared.ts';
import { createWorkspace } from './tenants.ts';
import { resourceOf, type ValidationContext } from './validation-context.ts';
import type { ValidationFile } from './validation-file.ts';

export interface ValidateOptions {
  readonly file: ValidationFile;
  /** The platform cluster, with all rights. */
  readonly platform: Client;
  /** The onboarding cluster, with all rights. */
  readonly onboarding: Client;
  /** Called for every completed row. */
  readonly onStep?: (result: StepResult) => void;
  /** Called once with the name of the project that holds the tenants of this run. */
  readonly onStart?: (project: string) => void;
  /** Called with what is being waited for. */
  readonly onProgress?: (text: string) => void;
  /** Cancels the validation. Default: never. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** One row of the validation. */
interface Row {
  readonly id: string;
  readonly title: string;
  /** Why the row does not apply. Default: it does. */
  readonly skip?: string | false;
  /** Returns why the row was skipped, when that depends on the landscape. */
  readonly run: () => Promise<string | undefined | void>;
}

/**
 * Validates a provider on a running landscape: installs it, uses it as tenants do, disturbs it, removes it, and checks
 * that nothing is left. A provider that was installed before is used as it is and not removed.
 */
export async function validateProvider(options: ValidateOptions): Promise<ValidationReport> {
  const { file, clock = systemClock } = options;
  const startedAt = clock.now();
  const steps: StepResult[] = [];
  await using stack = new AsyncDisposableStack();
  const context = await createContext(options, stack);
  for (const row of rowsOf(context)) {
    const hasFailed = steps.some(({ outcome }) => outcome === 'failed');
    const result = await runRow(row, hasFailed && row.id !== 'TEARDOWN');
    steps.push(result);
    options.onStep?.(result);
  }
  return {
    provider: file.provider,
    isPassed: steps.every(({ outcome }) => outcome !== 'failed'),
    startedAt: startedAt.toISOString(),
    durationMs: clock.now().getTime() - startedAt.getTime(),
    steps,
  };
}

async function createContext(options: ValidateOptions, stack: AsyncDisposableStack): Promise<ValidationContext> {
  const { file, platform, onboarding, onProgress, signal = new AbortController().signal } = options;
  const progress = (text: string): void => onProgress?.(text);
  const base = { platform, onboarding, file, progress, signal, id: `validate-${randomIds.nameSuffix()}` };
  options.onStart?.(base.id);
  const connector = stack.use(createConnector(base));
  const found: { services?: ResourceRef; configs?: ResourceRef; namespace?: string } = {};
  return {
    ...base,
    isProviderForeign: await isInstalled(base),
    connect: cluster => connector.connect(cluster),
    open: kubeconfig => connector.open(kubeconfig),
    get namespace() {
      return found.namespace ?? '';
    },
    get services() {
      return found.services ?? { group: '', version: '', plural: '' };
    },
    get configs() {
      return found.configs ?? { group: '', version: '', plural: '' };
    },
    async learn() {
      found.services = await resourceOf(onboarding, file.service);
      found.configs = await resourceOf(platform, file.config);
      found.namespace = await createWorkspace(base);
    },
  };
}

function rowsOf(context: ValidationContext): readonly Row[] {
  const { file } = context;
  const tenant = (name: string) => ({ name, namespace: context.namespace });
  const noDomain = file.domain === undefined && 'validation.yaml names no domain object';
  const foreign = context.isProviderForeign && 'the provider was installed before, and is left as it was';
  return [
    { id: 'SETUP a', title: 'all clusters are ready', run: () => checkClusters(context) },
    { id: 'SETUP b', title: 'a cluster provider is ready', run: () => checkClusterProvider(context) },
    {
      id: '1',
      title: 'the provider becomes ready, and its kinds are served',
      run: async () => {
        await installProvider(context);
        await context.learn();
      },
    },
    { id: '1 failed', title: 'a failed init is shown as failed', run: () => checkFailedInit(context) },
    { id: '1b', title: 'its definition is put back when it is edited or deleted', run: () => checkDefinition(context) },
    { id: '2', title: 'a tenant consumes the service', run: () => consume(context, 'a') },
    {
      id: '2b',
      title: 'a second tenant shares nothing with the first',
      run: async () => {
        await consume(context, 'b');
        await checkIsolation(context, tenant('a'), tenant('b'));
      },
    },
    { id: '2c', title: 'drift is repaired', run: () => checkDrift(context, tenant('a')) },
    {
      id: '2d',
      title: 'ignore pauses, reconcile requests a reconcile',
      run: () => checkOperations(context, tenant('a')),
    },
    {
      id: '2e',
      title: 'an invalid spec is rejected with a message',
      skip: file.userError === undefined && 'validation.yaml has no invalid spec',
      run: () => checkUserError(context, tenant('a')),
    },
    {
      id: '2f',
      title: 'a changed configuration reaches every object',
      skip: file.configChange === undefined && 'validation.yaml names no change',
      run: () => checkConfigChange(context, [tenant('a'), tenant('b')]),
    },
    { id: '2g', title: 'a crash during creation leaves nothing twice', run: () => checkCrash(context, 'g') },
    { id: '2h', title: 'a service is managed only as far as it may be', run: () => checkPolicies(context, 'h') },
    { id: '2i', title: 'an order chooses its configuration', run: () => checkConfigChoice(context, tenant('h')) },
    {
      id: '2j',
      title: 'nothing is ready while what all tenants share is not',
      skip: foreign,
      run: () => checkShared(context, [tenant('a'), tenant('b')]),
    },
    {
      id: '3',
      title: 'the domain service acts for the tenant',
      skip: noDomain,
      run: () => checkDomain(context, tenant('a')),
    },
    {
      id: '4a',
      title: 'what the tenant uses blocks the deletion',
      skip: noDomain,
      run: () => checkBlockedDelete(context, tenant('a')),
    },
    {
      id: '4b',
      title: 'the service goes completely, and only this one',
      run: () => checkDelete(context, tenant('a'), tenant('b')),
    },
    {
      id: '4d',
      title: 'an orphaned service keeps running, held by a RetainedService',
      run: () => checkOrphan(context, 'c'),
    },
    { id: '4e', title: 'it still functions with renewed credentials', run: () => checkKept(context, tenant('c')) },
    { id: '4f', title: 'a new order of its name takes it over', run: () => checkAdoption(context, tenant('c')) },
    {
      id: '4c',
      title: 'the provider takes no new orders, waits for its tenants, then goes completely',
      skip: foreign,
      run: () => checkProviderRemoval(context, tenant('b')),
    },
    {
      id: '4g',
      title: 'the orphaned service works without its provider, and is removed on request',
      run: () => checkEnd(context, tenant('c')),
    },
    { id: 'TEARDOWN', title: 'nothing is left', run: () => tearDown(context, ['a', 'b', 'c', 'g', 'h']) },
  ];
}

async function runRow({ id, title, skip = false, run }: Row, isHopeless: boolean): Promise<StepResult> {
  const skipped = isHopeless ? 'an earlier row failed' : skip;
  if (skipped !== false) return { id, title, outcome: 'skipped', message: skipped, durationMs: 0 };
  const startedAt = performance.now();
  const took = (): number => Math.round(performance.now() - startedAt);
  try {
    const untried = await run();
    if (typeof untried === 'string') return { id, title, outcome: 'skipped', message: untried, durationMs: took() };
    return { id, title, outcome: 'passed', durationMs: took() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, title, outcome: 'failed', message, durationMs: took() };
  }
}
