import { toError } from '@chandlery/api';
import { type Client, createClient } from '@chandlery/client';
import { createLogger } from '@chandlery/platform';
import { connectionFromEnvironment } from '../build/program.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import { planCommand } from '../plan/plan-command.ts';
import { type Pace, parseArguments, usage } from './arguments.ts';
import { installProvider } from './install-provider.ts';
import { runCommand } from './run-command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface RunProviderOptions extends Pace {
  /** The arguments without the program itself. Default: those of this process. */
  readonly argv?: readonly string[];
  /** Default: that of this process. */
  readonly env?: Environment;
}

/** The environment of a provider process; tests replace it. */
export interface ProcessEnvironment {
  readonly argv: readonly string[];
  readonly env: Environment;
  /** The program's pace, unless the command line sets another. */
  readonly pace?: Pace;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly connectPlatform: (env: Environment) => Client;
  /** Default: over the network. */
  readonly connect?: (kubeconfig: string) => Client;
  /** Stops a run, like a signal of the operating system. */
  readonly stop?: AbortSignal;
}

/**
 * The program of a provider: runs the command and exits the process; the exit code is zero only on success. The last
 * line of the error output has the cause.
 */
export async function runProvider(definition: ProviderDefinition, options: RunProviderOptions = {}): Promise<void> {
  const { argv = process.argv.slice(2), env = process.env, ...pace } = options;
  const code = await runWith(definition, {
    argv,
    env,
    pace,
    out: text => void process.stdout.write(text),
    err: text => void process.stderr.write(text),
    connectPlatform,
  });
  process.exitCode = code;
  // Whatever still holds the process after an orderly stop is not needed.
  setTimeout(() => process.exit(code), 1000).unref();
}

/** Runs the command; returns the exit code, and never throws. */
export async function runWith(definition: ProviderDefinition, environment: ProcessEnvironment): Promise<number> {
  if (environment.argv.some(word => word === '--help' || word === '-h')) {
    environment.out(usage);
    return 0;
  }
  try {
    return await dispatch(definition, environment);
  } catch (thrown) {
    const { code, message, hint, cause } = toError(thrown);
    if (code === 'UsageError') environment.err(`${usage}\n`);
    // The stack shows where a programming error is; the last line is for people all the same.
    if (code === 'InternalError' && cause instanceof Error) environment.err(`${cause.stack}\n`);
    environment.err(`${sentence(message)}${hint === undefined ? '' : ` ${hint}`}\n`);
    return code === 'UsageError' ? 2 : 1;
  }
}

async function dispatch(definition: ProviderDefinition, environment: ProcessEnvironment): Promise<number> {
  const args = parseArguments(environment.argv);
  const { env, out, err, stop, pace = {}, connect: given } = environment;
  const connect = given && { connect: given };
  const fields = { provider: args.provider, environment: args.environment };
  const logger = createLogger({ level: args.logLevel, format: 'json', write: err, fields });
  await using platform = environment.connectPlatform(env);
  switch (args.command) {
    case 'init':
      await installProvider(definition, {
        provider: args.provider,
        platform,
        logger,
        progress: line => out(`${line}\n`),
        ...connect,
      });
      return 0;
    case 'run':
      return await runCommand(definition, { args, env, platform, logger, pace, ...connect, ...(stop && { stop }) });
    case 'plan':
      return await planCommand(definition, { args, platform, out, ...connect });
  }
}

const connectPlatform = (env: Environment): Client => createClient(connectionFromEnvironment(env));

const sentence = (message: string): string => `Error: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
