import type { ServiceKey } from '../model/service-name.ts';
import type { CatalogChange } from './proxy-view.ts';

/** Changes that are announced together: all of one tick of the event loop. */
export class PendingChange implements CatalogChange {
  readonly acceptedAt = performance.now();
  readonly services = new Set<ServiceKey>();
  readonly endpoints = new Set<ServiceKey>();
  readonly accounts = new Set<string>();
  readonly grants = new Map<string, Set<ServiceKey>>();
  haveRootsChanged = false;
  isUrgent = false;
}
