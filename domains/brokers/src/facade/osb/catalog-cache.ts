import { createHash } from 'node:crypto';
import { plansInCatalog, renderCatalog } from '../../model/catalog/filter-catalog.ts';
import type { BrokerRow, PlatformRow, Registry, Row } from '../../model/rows.ts';

/** A catalog as a platform gets it. */
export interface CatalogView {
  readonly bytes: Buffer;
  /** With quotes. */
  readonly etag: string;
}

/** Platforms that find the same plans share the bytes. */
interface BrokerViews {
  readonly ofPlatform: Map<string, CatalogView>;
  readonly ofPlans: Map<string, CatalogView>;
}

type Tables = Pick<Registry, 'brokers' | 'offerings' | 'plans' | 'visibilities' | 'platforms'>;

/**
 * The catalogs of all brokers for all platforms, rendered once and kept until the broker, its offerings and plans, their
 * visibilities or the platform change.
 */
export class CatalogCache implements Disposable {
  readonly #registry: Tables;
  readonly #views = new Map<string, BrokerViews>();
  readonly #stop: readonly (() => void)[];

  constructor(registry: Tables) {
    this.#registry = registry;
    this.#stop = [
      registry.brokers.listen(({ row }) => this.#views.delete(row.id)),
      registry.offerings.listen(({ row }) => this.#views.delete(row.spec.brokerId)),
      registry.plans.listen(({ row }) => this.#views.delete(row.spec.brokerId)),
      registry.visibilities.listen(({ row, previous }) => {
        this.#forgetPlan(row.spec.planId);
        if (previous !== undefined) this.#forgetPlan(previous.spec.planId);
      }),
      registry.platforms.listen(({ row, previous }) => this.#forgetPlatform(row, previous)),
    ];
  }

  /** Costs a look-up, once it has been asked for. */
  get(broker: BrokerRow, platform: PlatformRow): CatalogView {
    return this.#views.get(broker.id)?.ofPlatform.get(platform.id) ?? this.#render(broker, platform);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stop) stop();
    this.#views.clear();
  }

  #render(broker: BrokerRow, platform: PlatformRow): CatalogView {
    const views = this.#views.get(broker.id) ?? {
      ofPlatform: new Map<string, CatalogView>(),
      ofPlans: new Map<string, CatalogView>(),
    };
    this.#views.set(broker.id, views);
    const planIds = plansInCatalog(this.#registry, broker, platform);
    const key = [...planIds].sort().join('\n');
    const view = views.ofPlans.get(key) ?? viewOf(renderCatalog(this.#registry, broker, planIds));
    views.ofPlans.set(key, view);
    views.ofPlatform.set(platform.id, view);
    return view;
  }

  /** A removed plan has invalidated its broker already. */
  #forgetPlan(planId: string): void {
    const plan = this.#registry.plans.get(planId);
    if (plan !== undefined) this.#views.delete(plan.spec.brokerId);
  }

  /** The status of a platform changes with every connection of its proxy and is not in any catalog. */
  #forgetPlatform(row: Pick<PlatformRow, 'id' | 'spec'>, previous: Row<{ spec: unknown }> | undefined): void {
    if (previous !== undefined && JSON.stringify(previous.spec) === JSON.stringify(row.spec)) return;
    for (const { ofPlatform } of this.#views.values()) ofPlatform.delete(row.id);
  }
}

const viewOf = (bytes: Buffer): CatalogView => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
});
