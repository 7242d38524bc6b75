import type { Flag, Flags } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';

/** Heading in the overview of commands. */
export const workflowGroup = 'Workflows';

/** Flag of commands about Workflows of a namespace. */
export const namespaceFlag = {
  namespace: { type: 'text', short: 'n', valueName: 'NAME', about: 'The namespace. Default: default.' },
} as const satisfies Record<string, Flag>;

/** Flag of commands that give values to parameters. */
export const parameterFlag = {
  parameter: {
    type: 'text',
    short: 'p',
    valueName: 'NAME=VALUE',
    about: 'The value of a parameter.',
    isMultiple: true,
  },
} as const satisfies Record<string, Flag>;

/** Flags of commands that can show a Workflow until it has ended. */
export const followFlags = {
  wait: { type: 'switch', about: 'Wait until it has ended. Default: false.' },
  watch: { type: 'switch', about: 'Show its nodes until it has ended. Default: false.' },
  timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait. Default: without limit.' },
} as const satisfies Record<string, Flag>;

/** The values of `--parameter`, in order; of several for a name the last one counts. */
export function parametersOf(flags: Flags): Readonly<Record<string, string>> {
  return Object.fromEntries(
    flags.texts('parameter').map(text => {
      const at = text.indexOf('=');
      if (at < 1) throw usageError('InvalidOption', `--parameter must be NAME=VALUE, not "${text}"`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
