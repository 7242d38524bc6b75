import { OrdersError } from '../errors.ts';
import { workflowNamespace } from '../model/documents/order-document.ts';
import type { TenantLimits } from '../model/tenant-limits.ts';
import type { Reservation } from '../ports.ts';
import type { TenantUsage } from '../registry/tenant-usage.ts';

/** Keeps tenants within their limits. What is on its way counts too, so that parallel requests cannot exceed a limit together. */
export class TenantBudget {
  readonly #usage: TenantUsage;
  readonly #limits: TenantLimits;
  /** By the namespace of the tenant's workflows. */
  readonly #reserved = new Map<string, number>();
  readonly #onExceeded: (limit: keyof TenantLimits) => void;

  constructor(
    usage: TenantUsage,
    limits: TenantLimits,
    onExceeded: (limit: keyof TenantLimits) => void = () => undefined,
  ) {
    this.#usage = usage;
    this.#limits = limits;
    this.#onExceeded = onExceeded;
  }

  /** Throws `limit-exceeded` when a tenant may not have one more record. */
  checkRecords(tenant: string): void {
    this.#check('records', this.#usage.records(tenant) + 1, 'records');
  }

  /** Throws `limit-exceeded` when a tenant may not have one more site. */
  checkSites(tenant: string): void {
    this.#check('sites', this.#usage.sites(tenant) + 1, 'sites');
  }

  /** Throws `limit-exceeded` when a tenant may not have one more service, of controllers with these schemas, that has a process. */
  checkProcesses(tenant: string, schemas: readonly string[]): void {
    const wanted = this.#usage.servicesOf(tenant, schemas) + 1;
    this.#check('processes', wanted, 'services with processes of their own');
  }

  /** Throws `limit-exceeded` when a tenant may not have one more unfinished upload. */
  checkUploads(tenant: string): void {
    this.#check('unfinishedUploads', this.#usage.unfinishedUploads.of(tenant) + 1, 'unfinished uploads');
  }

  /** Throws `limit-exceeded` when a tenant may not have so many bytes of messages more. */
  checkMessages(tenant: string, bytes: number): void {
    this.#check('messageBytes', this.#usage.messageBytes.of(tenant) + bytes, 'bytes of messages');
  }

  /** Reserves bytes of artifacts. Throws `limit-exceeded`. */
  reserve(tenant: string, bytes: number): Reservation {
    return this.reserveIn(workflowNamespace(tenant), bytes);
  }

  /** Reserves bytes of artifacts for the tenant whose workflows are in a namespace. Throws `limit-exceeded`. */
  reserveIn(namespace: string, bytes: number): Reservation {
    let held = 0;
    const grow = (more: number): void => {
      const reserved = this.#reserved.get(namespace) ?? 0;
      this.#check('artifactBytes', this.#usage.bytesIn(namespace) + reserved + more, 'bytes of artifacts');
      held += more;
      this.#reserved.set(namespace, reserved + more);
    };
    grow(bytes);
    return {
      grow,
      [Symbol.dispose]: () => {
        const rest = (this.#reserved.get(namespace) ?? 0) - held;
        held = 0;
        if (rest === 0) this.#reserved.delete(namespace);
        else this.#reserved.set(namespace, rest);
      },
    };
  }

  #check(limit: keyof TenantLimits, wanted: number, what: string): void {
    const max = this.#limits[limit];
    if (wanted <= max) return;
    this.#onExceeded(limit);
    throw new OrdersError('limit-exceeded', `The tenant may have ${max} ${what}, and this would make it ${wanted}`, {
      name: limit,
      value: max,
    });
  }
}
