import { resolve } from 'node:path';
import { readBuildInfo } from '@chandlery/platform';
import type { Command } from '../command.ts';
import { scaffoldNames } from './scaffold/scaffold-names.ts';
import { packagesOfClone, writeProvider } from './scaffold/write-provider.ts';

export const providerNewCommand: Command = {
  name: 'provider new',
  summary: 'Write a new service provider, with a test that passes',
  usage: 'NAME [flags]',
  examples: ['chandlery provider new ice-cream', 'chandlery provider new ice-cream --folder providers/ice-cream'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {
    folder: { type: 'text', valueName: 'DIR', about: 'Where to write it. Default: a folder with its name.' },
  },
  goal: ([name]) => `write the provider "${name}"`,
  async run({ args, flags, cwd, stdout }) {
    const names = scaffoldNames(args[0] ?? '');
    const folder = resolve(cwd, flags.text('folder') ?? names.kebab);
    const files = writeProvider(folder, names);
    stdout.write(
      [
        `wrote ${folder}`,
        ...files.map(file => `  ${file}`),
        'Next:',
        `  cd ${folder}`,
        `  ${installation()}`,
        '  npm test',
        '  npm run dev -- --data-dir DIR       # the data folder of a running landscape: its .chandlery',
        '  npm run validate -- --data-dir DIR',
        'README.md there says what each file is for.',
        '',
      ].join('\n'),
    );
    return 0;
  },
};

/** A clone has the packages of its own state; releases are fetched. */
const installation = (): string =>
  readBuildInfo().isRelease ? 'npm install' : `npm install --no-save ${packagesOfClone().join(' ')}`;
