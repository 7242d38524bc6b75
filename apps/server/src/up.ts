import { flushCompileCache } from 'node:module';
import { toError } from '@chandlery/api';
import {
  createLogger,
  type LogSettings,
  loadServerConfig,
  type ServerConfig,
  type Shutdown,
} from '@chandlery/platform';
import { banner } from './banner.ts';
import { type LandscapeParts, startLandscape } from './landscape.ts';

export interface UpOptions extends Pick<LandscapeParts, 'endpointsProviders'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly print: (text: string) => void;
}

/** `chandlery up`: runs the landscape until it is stopped. The process exits by itself afterwards. */
export async function up(args: readonly string[], { env, cwd, print, ...parts }: UpOptions): Promise<void> {
  const { values: config } = loadServerConfig({ argv: args, env, folder: cwd });
  const logSettings = logSettingsOf(config);
  const logger = createLogger({ settings: logSettings });
  // A stray failure of one part must not end the APIs for all tenants; it is a bug, and is logged as one.
  process.on('unhandledRejection', reason => {
    const { message, stack } = toError(reason);
    logger.error('a failure was not handled', { error: message, stack });
  });
  const onServing = (stopping: Shutdown): void => void stopping.listen();
  const landscape = await startLandscape(config, { ...parts, logger, logSettings, onServing });
  print(banner(landscape));
  // A process that is killed would leave nothing to the next one, which then starts at half the speed.
  flushCompileCache();
}

function logSettingsOf({ logLevel, logFormat }: ServerConfig): LogSettings {
  const usual = process.stderr.isTTY ? 'text' : 'json';
  return { level: logLevel, format: logFormat === 'auto' ? usual : logFormat };
}
