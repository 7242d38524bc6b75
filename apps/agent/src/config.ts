import { readFileSync } from 'node:fs';
import { ChandleryError, isError, type JsonObject } from '@chandlery/api';
import {
  type ConfigOf,
  choice,
  loadConfig,
  logFormats,
  logLevels,
  optionalPort,
  renderHelp,
  structured,
  text,
} from '@chandlery/platform';

/** All settings of the agent. */
const agentOptions = {
  controlPlane: text({ about: 'Where the fleet manager is: https://…', default: undefined }),
  ca: text({ about: 'File with the certificate authority of the fleet manager.', default: undefined }),
  product: text({ about: 'The product whose instances it runs.', default: 'dinosaurs' }),
  clusterId: text({ about: 'The id of the cluster at the fleet manager.', default: undefined }),
  token: text({
    about: 'Token of the agent; not as a flag, which others could see.',
    default: undefined,
    from: ['environment'],
  }),
  tokenFile: text({ about: 'File with the token, read again now and then.', default: undefined }),
  kubeconfig: text({
    about: 'Kubeconfig of the data-plane cluster. Without: the cluster that the agent runs in.',
    default: undefined,
  }),
  kubeContext: text({ about: 'Context of the kubeconfig.', default: undefined }),
  routerHost: text({
    about: 'What DNS names of instances lead to: the ingress of the cluster, or the address to listen on.',
    default: '127.0.0.1',
  }),
  routerPort: optionalPort({ about: 'Listens here for all instances and routes by their names.', default: undefined }),
  capacity: structured(value => value as JsonObject, {
    about: 'Units by instance type: {"standard": {"maxUnits": 5, "remainingUnits": 5}}.',
    default: undefined as JsonObject | undefined,
  }),
  logLevel: choice(logLevels, { about: 'What is logged.', default: 'info' }),
  logFormat: choice(logFormats, { about: 'How it is logged.', default: 'text' }),
} as const;

/** The settings of an agent's process. */
export type AgentConfig = ConfigOf<typeof agentOptions>;

const prefix = 'CHANDLERY_AGENT_';

/** Reads flags and `CHANDLERY_AGENT_…` variables. Rejects with a code of `configErrorCodes`. */
export function loadAgentConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AgentConfig {
  try {
    return loadConfig(agentOptions, { argv, env: renamed(env), file: undefined }).values;
  } catch (error) {
    if (!isError(error)) throw error;
    const { code, message, hint, details, cause } = error;
    const ours = message.replace(/^CHANDLERY_/, prefix);
    throw new ChandleryError(code, ours, { details, cause, ...(hint === undefined ? {} : { hint }) });
  }
}

/** What `--help` prints. */
export const agentHelp = (): string =>
  renderHelp(agentOptions, {
    usage: 'chandlery-agent [flags]        runs instances on its cluster until it is stopped',
    examples: [
      'chandlery-agent --control-plane https://chandlery.example:7443 \\\n' +
        '    --cluster-id oslo-1 --token-file /run/token --ca ca.crt',
    ],
  }).replaceAll('[CHANDLERY_', `[${prefix}`);

/** A setting without which there is nothing to do. */
export function required(config: AgentConfig, key: 'controlPlane' | 'clusterId'): string {
  const value = config[key];
  if (value !== undefined && value !== '') return value;
  const flag = key.replace(/([A-Z])/g, '-$1').toLowerCase();
  throw new ChandleryError('MissingValue', `${flag} is not set`, { hint: `Set it by --${flag}; --help explains all.` });
}

/** Reads a file that a flag names. */
export function readFileOf(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new ChandleryError('FileUnreadable', `cannot read the file ${path} (${code})`, {
      hint: `Correct ${flag}.`,
      cause,
    });
  }
}

/** Variables of the server itself are none of ours. */
const renamed = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[`CHANDLERY_${name.slice(prefix.length)}`, value]] : [],
    ),
  );
