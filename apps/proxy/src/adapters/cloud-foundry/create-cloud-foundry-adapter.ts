import type { Logger } from '@chandlery/platform';
import type { PlatformAdapter } from '../../ports.ts';
import { CloudController, type CloudControllerOptions } from './cloud-controller.ts';
import { CloudFoundryAdapter } from './cloud-foundry-adapter.ts';

export interface CloudFoundryOptions extends CloudControllerOptions {
  readonly logger: Logger;
}

/** A Cloud Foundry, through its Cloud Controller. Sends no request yet. */
export const createCloudFoundryAdapter = ({ logger, ...options }: CloudFoundryOptions): PlatformAdapter =>
  new CloudFoundryAdapter(new CloudController(options), logger);
