import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { inParallel } from '../http/in-parallel.ts';
import { type BrokerAction, planBrokers } from '../model/plan-brokers.ts';
import { brokerIdOfUrl, type NamingRules } from '../model/proxy-names.ts';
import type { Subject } from '../model/subjects.ts';
import type { ManagedBroker, PlatformAdapter, PlatformBroker, ServiceManager } from '../ports.ts';
import type { ProxySettings } from '../settings.ts';
import { reconcileAccess } from './access.ts';
import { applyBrokerAction } from './apply-broker-action.ts';
import type { CredentialManager } from './credential-manager.ts';

export interface ReconcilerOptions {
  readonly serviceManager: ServiceManager;
  readonly platform: PlatformAdapter;
  readonly credentials: CredentialManager;
  readonly naming: NamingRules;
  readonly settings: ProxySettings;
  readonly logger: Logger;
}

/** A part of a larger comparison that did not work out. */
export interface Failure {
  readonly subject: Subject;
  readonly error: Error;
}

/** Makes the platform as the service manager has it. */
export class Reconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Compares one subject. Rejects when nothing could be compared; answers parts of it that failed. */
  reconcile(subject: Subject): Promise<readonly Failure[]> {
    switch (subject.type) {
      case 'all':
        return this.#all();
      case 'broker':
        return this.#broker(subject.brokerId);
      case 'plans':
        return this.#plans(subject.brokerId, subject.planIds);
    }
  }

  async #all(): Promise<readonly Failure[]> {
    const { serviceManager, platform, settings } = this.#options;
    const brokers = await serviceManager.listBrokers();
    const failures = await this.#apply(this.#decide(brokers, await platform.listBrokers()));
    if (platform.scopeLabel === undefined) return failures;
    const failed = new Set(failures.flatMap(({ subject }) => (subject.type === 'broker' ? [subject.brokerId] : [])));
    const entries = await this.#entries(brokers.filter(({ id }) => !failed.has(id)));
    const chunkSize = settings.visibilityBrokerChunkSize || Math.max(1, entries.size);
    const all: Failure[] = [...failures];
    const ids = [...entries.keys()];
    for (let at = 0; at < ids.length; at += chunkSize)
      all.push(...(await this.#access(entries, ids.slice(at, at + chunkSize))));
    return all;
  }

  async #broker(brokerId: string): Promise<readonly Failure[]> {
    const { serviceManager, platform } = this.#options;
    const broker = await serviceManager.findBroker(brokerId);
    const brokers = broker === undefined ? [] : [broker];
    const [failure] = await this.#apply(this.#decide(brokers, await platform.listBrokers(), brokerId));
    if (failure !== undefined) throw failure.error;
    if (platform.scopeLabel === undefined || broker === undefined) return [];
    return this.#access(await this.#entries(brokers), [brokerId]);
  }

  async #plans(brokerId: string, planIds: readonly string[]): Promise<readonly Failure[]> {
    const { serviceManager } = this.#options;
    const broker = await serviceManager.findBroker(brokerId);
    if (broker === undefined) return this.#broker(brokerId);
    const entries = await this.#entries([broker]);
    // The notification of a visibility may arrive before its broker is registered.
    if (entries.size === 0) return this.#broker(brokerId);
    return this.#access(entries, [brokerId], planIds);
  }

  #decide(brokers: readonly ManagedBroker[], platformBrokers: readonly PlatformBroker[], onlyBrokerId?: string) {
    const { naming, settings, logger } = this.#options;
    const { isTakeoverEnabled, brokerBlackList: blackList } = settings;
    const only = onlyBrokerId === undefined ? {} : { onlyBrokerId };
    const plan = planBrokers({ brokers, platformBrokers, naming, isTakeoverEnabled, blackList, ...only });
    for (const warning of plan.warnings) logger.warn(warning);
    return plan.actions;
  }

  async #apply(actions: readonly BrokerAction[]): Promise<Failure[]> {
    const { settings, logger } = this.#options;
    const results = await inParallel(actions, settings.maxParallelRequests, async action => {
      await applyBrokerAction(action, this.#options);
      const { type, brokerId } = action;
      if (type !== 'refetch') logger.info('broker done at the platform', { action: type, brokerId });
    });
    return results.flatMap((result, at): Failure[] => {
      const brokerId = actions[at]?.brokerId ?? '';
      if (result.status === 'fulfilled') return [];
      return [{ subject: { type: 'broker', brokerId }, error: toError(result.reason) }];
    });
  }

  /** What the platform has of these brokers now, by their id at the service manager. */
  async #entries(brokers: readonly ManagedBroker[]): Promise<Map<string, PlatformBroker>> {
    const { platform, naming, settings } = this.#options;
    const wanted = new Set(brokers.filter(({ name }) => !settings.brokerBlackList.includes(name)).map(({ id }) => id));
    const entries = new Map<string, PlatformBroker>();
    for (const entry of await platform.listBrokers()) {
      const id = brokerIdOfUrl(naming, entry.url);
      if (id !== undefined && wanted.has(id)) entries.set(id, entry);
    }
    return entries;
  }

  #access(entries: ReadonlyMap<string, PlatformBroker>, brokerIds: readonly string[], planIds?: readonly string[]) {
    const { platform, serviceManager, settings, logger } = this.#options;
    const chosen = new Map([...entries].filter(([id]) => brokerIds.includes(id)));
    return reconcileAccess(chosen, { platform, serviceManager, settings, logger, planIds });
  }
}
