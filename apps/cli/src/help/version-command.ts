import { buildVersion, readBuildInfo } from '@chandlery/platform';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { formatValue } from '../output/print-object.ts';

export const versionCommand: Command = {
  name: 'version',
  summary: 'Print the version of this command',
  usage: '[flags]',
  examples: ['chandlery version', 'chandlery version -o json'],
  options: {},
  notes: ['-o json and -o yaml add the commit, when it was built, and the version of Node.js.'],
  async run({ stdout, flags }) {
    const format = formatOf(flags);
    stdout.write(format === 'table' ? `${buildVersion}\n` : formatValue(details(), format));
    return 0;
  },
};

function details(): object {
  const { version, commit, treeState, date } = readBuildInfo();
  return { version, commit, treeState, date, node: process.version };
}
