import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { hostImages } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { apply, findCondition } from '@chandlery/runtime';
import { resourceOf } from '@chandlery/sdk/validate';
import { secondsOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { progressReporter } from '../fleet/report-progress.ts';
import { connect } from '../landscape/connect.ts';
import { followObject } from '../landscape/follow-object.ts';
import { locateHostImages, readDocuments } from './scaffold/installation.ts';

const fieldManager = 'chandlery-cli';
const invalid = 'InstallationInvalid';

export const providerInstallCommand: Command = {
  name: 'provider install',
  summary: 'Install a provider from its folder, and wait until it is ready',
  usage: '[FOLDER] [flags]',
  examples: ['chandlery provider install', 'chandlery provider install providers/ice-cream --timeout 120'],
  arguments: { optional: ['FOLDER'] },
  options: { timeout: { type: 'text', valueName: 'SECONDS', about: 'How long to wait. Default: 300.' } },
  notes: [
    'The folder has install.yaml (ServiceProvider, HostImages) and, if the provider has one, config.yaml (its',
    'ProviderConfig). Folders of HostImages that begin with a dot are relative to install.yaml.',
  ],
  goal: ([folder]) => `install the provider in "${folder ?? '.'}"`,
  async run(context) {
    const folder = resolve(context.cwd, context.args[0] ?? '.');
    const objects = locateHostImages(readDocuments(join(folder, 'install.yaml'), invalid), folder);
    const name = providerNameOf(objects, folder);
    const signal = AbortSignal.timeout(secondsOf(context.flags, 'timeout', 300));
    await using platform = connect(context);
    for (const object of objects) await applyObject(platform, object);
    const report = progressReporter(context.stderr);
    const until = (type: string): Promise<void> => untilTrue(context, { platform, name, type, signal, report });
    await until('Initialized');
    const config = join(folder, 'config.yaml');
    if (existsSync(config)) for (const object of readDocuments(config, invalid)) await applyObject(platform, object);
    await until('Ready');
    context.stdout.write(`serviceprovider/${name} installed\n`);
    return 0;
  },
};

function providerNameOf(objects: readonly KubeObject[], folder: string): string {
  const found = objects.find(({ kind }) => kind === serviceProviders.kind);
  if (found?.metadata.name !== undefined) return found.metadata.name;
  throw new ChandleryError(invalid, `install.yaml in ${folder} has no ServiceProvider with a name`, {
    hint: '"npx chandlery provider new" writes a folder with one.',
  });
}

const plurals: Readonly<Record<string, string>> = {
  [hostImages.kind]: hostImages.plural,
  [serviceProviders.kind]: serviceProviders.plural,
};

async function applyObject(platform: Client, object: KubeObject): Promise<void> {
  const plural = plurals[object.kind] ?? (await resourceOf(platform, object)).plural;
  await apply(platform, fieldManager, [{ plural, object }]);
}

interface Awaited {
  readonly platform: Client;
  readonly name: string;
  readonly type: string;
  readonly signal: AbortSignal;
  readonly report: (state: string, reason: string) => void;
}

async function untilTrue(context: CommandContext, { platform, name, type, signal, report }: Awaited): Promise<void> {
  let last = '';
  const isDone = (provider: Provider | undefined): boolean => {
    const condition = provider === undefined ? undefined : findCondition(provider, type);
    if (condition?.status === 'True') return true;
    last = condition?.message ?? '';
    report(`waiting for ${type}`, last);
    return false;
  };
  try {
    await followObject<Provider>(platform, { ...serviceProviders.ref, name }, { isDone, signal });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    const message = `it is not ${type} in time${last === '' ? '' : `: ${last}`}`;
    const flags = context.flags.text('data-dir') === undefined ? '' : ` --data-dir ${context.flags.text('data-dir')}`;
    throw new ChandleryError('Timeout', message, {
      hint: `It continues: "npx chandlery provider describe ${name}${flags}" says how far it is.`,
    });
  }
}
