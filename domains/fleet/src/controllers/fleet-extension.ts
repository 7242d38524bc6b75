import type { InstanceStep } from './instance-step.ts';

/** The seven workers of instances. */
export const instanceWorkers = [
  'general',
  'accepted',
  'preparing',
  'provisioning',
  'ready',
  'deleting',
  'dns',
] as const;

export type InstanceWorkerName = (typeof instanceWorkers)[number];

/**
 * Steps that a product adds to a worker. They run before the worker's own steps for each instance of the product, in the
 * order of registration; one that stops, asks for a retry or throws holds the instance where it is. What they have to
 * remember they put into `status.extensionData`.
 */
export interface FleetExtension {
  /** The id of the product. */
  readonly product: string;
  readonly worker: InstanceWorkerName;
  readonly steps: readonly InstanceStep[];
}
