import { usageError } from '../args/usage-error.ts';
import type { CommandContext } from '../command.ts';
import { readLine } from './read-input.ts';

/** Where the credentials of a broker may stand, so that they need not be on the command line. */
const variable = 'CHANDLERY_BROKER_CREDENTIALS';

/** The flag for the credentials of a broker. */
export const basicFlag = {
  basic: {
    type: 'text',
    short: 'b',
    valueName: 'USER:PASSWORD',
    about: `User and password for the broker; - reads them from the standard input. [${variable}]`,
  },
} as const;

/** The credentials for a broker, as its body has them; undefined when none were given. */
export async function brokerCredentials(context: CommandContext): Promise<object | undefined> {
  const given = context.flags.text('basic') ?? context.env[variable];
  if (given === undefined || given === '') return undefined;
  const text = given === '-' ? await readLine(context) : given;
  const at = text.indexOf(':');
  if (at < 1) throw usageError('InvalidOption', 'the credentials of a broker must be USER:PASSWORD');
  return { basic: { username: text.slice(0, at), password: text.slice(at + 1) } };
}
