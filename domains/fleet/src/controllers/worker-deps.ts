import type { Clock, Logger } from '@chandlery/platform';
import type { CertificateIssuer, DnsZone, IdentityProvider } from '../ports.ts';
import type { FleetRegistry, InstanceRow } from '../registry/fleet-registry.ts';
import type { FleetExtension } from './fleet-extension.ts';

/** The systems outside that a product is configured with. Undefined: it needs none. */
export interface ProductAdapters {
  readonly dns: DnsZone | undefined;
  readonly sso: IdentityProvider | undefined;
  readonly certificates: CertificateIssuer | undefined;
}

/** Notified of what workers achieve, for metrics. */
export interface WorkerObserver {
  /** A reconcile ended. */
  reconciled(worker: string, seconds: number, isSuccess: boolean): void;
  /** An operation on an instance was begun or done. */
  operation(name: 'create' | 'delete' | 'deprovision', isSuccess: boolean): void;
  /** A job took so long from the order or the request to delete on. */
  jobDone(job: 'dinosaur_create' | 'dinosaur_delete', seconds: number): void;
}

/** Notified of what happens to clusters, for metrics. */
export interface ClusterObserver {
  /** An operation on a cluster was begun or done. */
  clusterOperation(name: 'create' | 'delete', isSuccess: boolean): void;
  /** A cluster was ready so long after it was asked for. */
  clusterReady(seconds: number): void;
}

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
  /** Records an event of an instance. Never waits, never throws. */
  readonly recordEvent: (row: InstanceRow, notice: InstanceNotice) => void;
}
