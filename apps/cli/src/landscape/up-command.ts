import { renderHelp, serverOptions } from '@chandlery/platform';
import type { Command } from '../command.ts';
import { loadServer } from './server-module.ts';

export const upCommand: Command = {
  name: 'up',
  summary: 'Run the landscape until it is stopped',
  usage: '[flags]',
  examples: [
    'chandlery up',
    'chandlery up --port 8443 --data-dir /var/lib/chandlery',
    'chandlery up --database postgres://chandlery@db.example.org/chandlery',
  ],
  formats: [],
  options: {},
  hasOwnFlags: true,
  renderHelp: () => renderHelp(serverOptions, { usage: 'npx chandlery up [flags]' }),
  goal: () => 'start the landscape',
  async run({ rawArgs, env, cwd, stdout }) {
    const { up } = await loadServer();
    await up(rawArgs, { env, cwd, print: text => void stdout.write(text) });
    return 0;
  },
};
