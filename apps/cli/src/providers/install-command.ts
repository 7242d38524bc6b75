import { resolve } from 'node:path';
import { formatOf, secondsOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { resultFormats } from '../output/print-object.ts';
import { printOne } from '../output/print-results.ts';
import { findProvider } from './describe-command.ts';
import { applyInstallation } from './installation/apply-installation.ts';
import { awaitProvider } from './installation/await-provider.ts';
import { readInstallation } from './installation/installation.ts';

/** The flags of commands that wait for a provider. */
export const waitFlags = {
  wait: { type: 'switch', about: 'Wait until it is done. Default: true.' },
  timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait. Default: 300s.' },
} as const;

export const providerInstallCommand: Command = {
  name: 'provider install',
  summary: 'Install a provider from its folder, and wait until it is ready',
  usage: '[FOLDER] [flags]',
  examples: ['chandlery provider install', 'chandlery provider install providers/ice-cream --timeout 120'],
  arguments: { optional: ['FOLDER'] },
  options: waitFlags,
  notes: [
    'The folder has install.yaml (ServiceProvider, HostImages) and, if the provider has one, config.yaml (its',
    'ProviderConfig, which is applied once its kind exists: with --wait). Folders of HostImages that begin with a dot are',
    'relative to install.yaml. Ctrl-C stops waiting; the installation continues.',
  ],
  goal: ([folder]) => `install the provider in "${folder ?? '.'}"`,
  async run(context) {
    const installation = readInstallation(resolve(context.cwd, context.args[0] ?? '.'));
    const { name, configs } = installation;
    const timeoutMs = secondsOf(context.flags, 'timeout', 300);
    const format = formatOf(context.flags, resultFormats);
    await using platform = connect(context);
    const provider = await applyInstallation(platform, installation);
    const isAwaited = context.flags.isOn('wait', true);
    if (isAwaited) await awaitProvider(context, platform, { provider, configs, timeoutMs });
    const text = `serviceprovider/${name} ${isAwaited ? 'installed' : 'is being installed'}\n`;
    printOne(context, { object: await findProvider(platform, name), format, render: () => text });
    return 0;
  },
};
