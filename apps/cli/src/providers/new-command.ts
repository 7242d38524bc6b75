import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { scaffoldNames } from './scaffold/scaffold-names.ts';
import { writeProvider } from './scaffold/write-provider.ts';

export const providerNewCommand: Command = {
  name: 'provider new',
  summary: 'Write a new service provider, with a test that passes',
  usage: 'NAME [flags]',
  examples: ['chandlery provider new ice-cream', 'chandlery provider new ice-cream --folder providers/ice-cream'],
  arguments: { required: ['NAME'] },
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
        '  npm install && npm test',
        '  npm run validate -- --data-dir DIR      # the data folder of a running landscape: its .chandlery',
        '',
      ].join('\n'),
    );
    return 0;
  },
};
