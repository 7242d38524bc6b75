import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { hostImages } from '@chandlery/clusters/kinds';
import { type Provider, retainedBy, retainedServices, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition, ignoreNotFound } from '@chandlery/runtime';
import { secondsOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { followObject } from '../landscape/follow-object.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { confirmDeletion } from '../output/confirm.ts';
import { reportProgress } from '../output/progress.ts';
import { findProvider } from './describe-command.ts';
import { waitFlags } from './install-command.ts';
import { installedWith } from './installation/apply-installation.ts';
import { tenantObjects } from './tenant-objects.ts';

export const providerUninstallCommand: Command = {
  name: 'provider uninstall',
  summary: 'Remove a provider, its kinds and its rights',
  usage: 'NAME [flags]',
  examples: ['chandlery provider uninstall ice-cream', 'chandlery provider uninstall ice-cream --yes --timeout 60'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {
    yes: { type: 'switch', short: 'y', about: 'Do not ask, and begin although tenants use it.' },
    ...waitFlags,
  },
  notes: [
    'Services of tenants are never deleted by this: the provider takes no new orders, continues to serve those that there',
    'are, and is removed when tenants have deleted them. With spec.deletionPolicy: Orphan in the ServiceProvider they are',
    'released instead, and continue to run as RetainedServices.',
  ],
  goal: ([name]) => `uninstall the provider "${name}"`,
  async run(context) {
    const [name = ''] = context.args;
    const timeoutMs = secondsOf(context.flags, 'timeout', 300);
    await using platform = connect(context);
    const provider = await findProvider(platform, name);
    if (provider.kind !== serviceProviders.kind) throw notServiceProvider(provider);
    await askFirst(context, provider);
    await platform.delete({ ...serviceProviders.ref, name });
    if (!context.flags.isOn('wait', true)) {
      context.stdout.write(`serviceprovider/${name} is being uninstalled\n`);
      return 0;
    }
    await untilUninstalled(context, platform, { name, timeoutMs });
    for (const line of await removeHostImages(context, platform, name)) context.stderr.write(`${line}\n`);
    context.stdout.write(`serviceprovider/${name} uninstalled\n`);
    return 0;
  },
};

const notServiceProvider = ({ kind, metadata }: Provider): ChandleryError =>
  new ChandleryError('NotFound', `"${metadata.name}" is a ${kind}, not a ServiceProvider`, {
    hint: `Delete it with "npx chandlery delete ${kind.toLowerCase()}/${metadata.name} --cluster platform".`,
  });

/** A provider that is not used is confirmed by its name; one that is used needs --yes, or a terminal to ask on. */
async function askFirst(context: CommandContext, provider: Provider): Promise<void> {
  if (context.flags.isOn('yes')) return;
  const { name = '' } = provider.metadata;
  const objects = provider.spec.deletionPolicy === 'Orphan' ? [] : await tenantObjects(context, provider);
  if (context.isInteractive !== true) {
    if (objects.length > 0) throw inUse(objects);
    return;
  }
  const goesWith = async () =>
    objects.length === 0 ? [] : [`orders: it takes no new ones, and stays for ${someOf(objects)}`];
  await confirmDeletion(context, { what: `the provider "${name}"`, expected: name, goesWith, isPrecious: false });
}

const inUse = (objects: readonly KubeObject[]): ChandleryError =>
  new ChandleryError('ProviderInUse', `tenants use it: ${someOf(objects)}`, {
    hint: 'Delete these first, or begin with --yes: then it takes no new orders, and is removed when they are deleted.',
  });

const maxNamed = 5;

/** `PostgresDatabase default/shop, … (7)`. */
function someOf(objects: readonly KubeObject[]): string {
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`).sort();
  const more = names.length > maxNamed ? `, … (${names.length})` : '';
  return `${names.slice(0, maxNamed).join(', ')}${more}`;
}

interface Removal {
  readonly name: string;
  readonly timeoutMs: number;
}

/** Shows what the removal waits for, which the condition `Uninstalled` says. */
async function untilUninstalled(
  { stderr }: CommandContext,
  platform: Client,
  { name, timeoutMs }: Removal,
): Promise<void> {
  using stop = listenForStop();
  const timeout = AbortSignal.timeout(timeoutMs);
  using report = reportProgress(stderr);
  let last = '';
  const isDone = (provider: Provider | undefined): boolean => {
    if (provider === undefined) return true;
    last = findCondition(provider, 'Uninstalled')?.message ?? '';
    report(provider.status?.phase ?? 'Terminating', last);
    return false;
  };
  const signal = AbortSignal.any([stop.signal, timeout]);
  try {
    await followObject<Provider>(platform, { ...serviceProviders.ref, name }, { isDone, signal });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    const why = last === '' ? '' : `: ${last.replace(/\.$/, '')}`;
    throw stop.signal.aborted
      ? new ChandleryError('Interrupted', `it was interrupted${why}`, { hint: continues(name) })
      : new ChandleryError('Timeout', `it is not removed in time${why}`, { hint: continues(name) });
  }
}

const continues = (name: string): string =>
  `The removal continues and cannot be undone; "npx chandlery provider describe ${name}" shows what it waits for.`;

/** HostImages that were installed with the provider are deleted, unless services that were released still need them. */
async function removeHostImages(context: CommandContext, platform: Client, name: string): Promise<readonly string[]> {
  const { items } = await platform.list(hostImages.ref, { labelSelector: installedWith(name) });
  const names = items.map(({ metadata }) => metadata.name ?? '');
  if (names.length === 0) return [];
  await using onboarding = connectTo(context, 'onboarding');
  const retained = await onboarding.list(retainedServices.ref, { labelSelector: retainedBy(name), limit: 1 });
  if (retained.items.length > 0) return [`hostimage/${names.join(', ')} stay: released services need them`];
  for (const image of names) await platform.delete({ ...hostImages.ref, name: image }).catch(ignoreNotFound);
  return names.map(image => `hostimage/${image} deleted`);
}
