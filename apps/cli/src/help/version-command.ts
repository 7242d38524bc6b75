import packageJson from '../../package.json' with { type: 'json' };
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { formatValue } from '../output/print-object.ts';

export const versionCommand: Command = {
  name: 'version',
  summary: 'Print the version of this command',
  usage: '[flags]',
  examples: ['chandlery version', 'chandlery version -o json'],
  options: {},
  async run({ stdout, flags }) {
    const format = formatOf(flags);
    const { version } = packageJson;
    stdout.write(format === 'table' ? `${version}\n` : formatValue({ version, node: process.version }, format));
    return 0;
  },
};
