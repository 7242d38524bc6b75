import type { Clock, Logger } from '@chandlery/platform';
import type { ControllerMetrics } from '@chandlery/runtime';
import type { ProductAdapters, WorkerObserver } from '../ports.ts';
import type { FleetRegistry, InstanceRow } from '../registry/fleet-registry.ts';
import type { FleetExtension } from './fleet-extension.ts';

/** Something that happened to an instance, for people to read. */
export interface InstanceNotice {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** What workers work on. */
export interface WorkerDeps {
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The adapters that the product's present configuration names. Rejects where they cannot be opened. */
  readonly adaptersOf: (productId: string) => Promise<ProductAdapters>;
  readonly extensions: readonly FleetExtension[];
  readonly observer: WorkerObserver;
  /** Calls the listener when the landscape's certificate authority was rotated. Default: it never is. */
  readonly onAuthorityChange?: ((listener: () => void) => () => void) | undefined;
  /** Default: nothing is measured and traced. */
  readonly controllerMetrics?: ControllerMetrics | undefined;
  /** Records an event of an instance. Never waits, never throws. */
  readonly recordEvent: (row: InstanceRow, notice: InstanceNotice) => void;
}
