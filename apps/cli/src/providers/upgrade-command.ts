import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ChandleryError, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { formatOf, secondsOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { resultFormats } from '../output/print-object.ts';
import { printOne } from '../output/print-results.ts';
import { findProvider } from './describe-command.ts';
import { waitFlags } from './install-command.ts';
import { applyInstallation, fieldManager } from './installation/apply-installation.ts';
import { awaitProvider } from './installation/await-provider.ts';
import { type Installation, readInstallation } from './installation/installation.ts';

export const providerUpgradeCommand: Command = {
  name: 'provider upgrade',
  summary: 'Replace an installed provider by another version, and wait until it serves',
  usage: 'FOLDER | NAME --image IMAGE [flags]',
  examples: [
    'chandlery provider upgrade providers/ice-cream',
    'chandlery provider upgrade ice-cream --image example.com/ice-cream-provider:v2',
  ],
  arguments: { required: ['FOLDER'] },
  formats: resultFormats,
  options: {
    image: { type: 'text', valueName: 'IMAGE', about: 'The image of the other version; the rest stays as it is.' },
    ...waitFlags,
  },
  notes: [
    'The earlier version serves until init of the new one has succeeded; then the new one starts beside it and takes',
    'over when it is ready. Services of tenants are not touched by the change itself. The way back is the same command',
    'with the earlier image.',
  ],
  goal: ([target]) => `upgrade the provider "${target}"`,
  async run(context) {
    const timeoutMs = secondsOf(context.flags, 'timeout', 300);
    const format = formatOf(context.flags, resultFormats);
    await using platform = connect(context);
    const { name, configs, before, write } = await findUpgrade(context, platform);
    const provider = await write();
    const changes = changesOf(before.spec, provider.spec);
    context.stderr.write(changes.length === 0 ? '' : `changing ${changes.join(', ')}\n`);
    if (context.flags.isOn('wait', true))
      await awaitUpgrade(context, platform, { provider, configs, timeoutMs, before });
    const render = (): string => `serviceprovider/${name} ${resultOf(context, changes)}\n`;
    printOne(context, { object: await findProvider(platform, name), format, render });
    return 0;
  },
};

interface Upgrade extends Pick<Installation, 'name' | 'configs'> {
  /** What is installed. */
  readonly before: Provider;
  /** Stores the new version. */
  readonly write: () => Promise<Provider>;
}

/** The upgrade from a folder, or to another image. */
async function findUpgrade({ args, flags, cwd }: CommandContext, platform: Client): Promise<Upgrade> {
  const [target = ''] = args;
  const image = flags.text('image');
  const folder = resolve(cwd, target);
  const isFolder = existsSync(join(folder, 'install.yaml'));
  if (image === undefined) {
    if (!existsSync(folder)) throw noFolder(target);
    const installation = readInstallation(folder);
    const before = await findInstalled(platform, installation.name);
    return { ...installation, before, write: () => applyInstallation(platform, installation) };
  }
  const name = isFolder ? readInstallation(folder).name : target;
  const before = await findInstalled(platform, name);
  const ref = { ...serviceProviders.ref, name };
  const write = () => platform.patch<Provider>(ref, { type: 'merge', body: { spec: { image } } }, { fieldManager });
  return { name, before, write, configs: [] };
}

const noFolder = (target: string): ChandleryError =>
  new ChandleryError('InstallationInvalid', `there is no folder "${target}"`, {
    hint: 'Name the folder of the new version, or the provider with --image.',
  });

async function findInstalled(platform: Client, name: string): Promise<Provider> {
  try {
    return await platform.get<Provider>({ ...serviceProviders.ref, name });
  } catch (thrown) {
    if (!isError(thrown, 'NotFound')) throw thrown;
    throw new ChandleryError('NotFound', `the provider "${name}" is not installed`, {
      hint: 'Install it with "npx chandlery provider install FOLDER".',
    });
  }
}

/** The fields of the spec that differ; the image with both values. */
function changesOf(before: Provider['spec'], after: Provider['spec']): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Provider['spec'])[];
  return names
    .filter(name => !isDeepStrictEqual(before[name], after[name]))
    .map(name => (name === 'image' ? `image ${before.image} → ${after.image}` : `spec.${name}`));
}

function resultOf({ flags }: CommandContext, changes: readonly string[]): string {
  if (changes.length === 0) return 'unchanged: the installed version has this image and these settings';
  return flags.isOn('wait', true) ? 'upgraded' : 'is being upgraded';
}

async function awaitUpgrade(
  context: CommandContext,
  platform: Client,
  { before, ...awaited }: Parameters<typeof awaitProvider>[2] & { readonly before: Provider },
): Promise<void> {
  try {
    await awaitProvider(context, platform, awaited);
  } catch (thrown) {
    if (!isError(thrown, 'InitFailed')) throw thrown;
    const { image } = before.spec;
    throw new ChandleryError('InitFailed', `${thrown.message} The earlier version continues to serve`, {
      hint: `Mend it and upgrade again, or go back with "npx chandlery provider upgrade ${before.metadata.name} --image ${image}".`,
    });
  }
}
