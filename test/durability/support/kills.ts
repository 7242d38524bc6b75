import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { CrashWorld } from './crash-world.ts';
import type { LandscapeProcess } from './landscape-processes.ts';
import type { Seeded } from './seeded.ts';
import { persist } from './tenant-ledger.ts';

const pods = { group: '', version: 'v1', plural: 'pods', namespace: 'openmcp-system' };

/** Kills, and counts it. */
export class Kills {
  readonly #world: CrashWorld;
  readonly #random: Seeded;
  server = 0;
  provider = 0;
  evictions = 0;
  watchdogs = 0;

  constructor(world: CrashWorld, random: Seeded) {
    this.#world = world;
    this.#random = random;
  }

  get text(): string {
    return `killed ${this.server} servers, ${this.watchdogs} with their watchdog, ${this.provider} providers, ${this.evictions} pods`;
  }

  /** Kills the server, and sometimes the watchdog that would end what runs on its node; then starts it again. */
  async killServer(): Promise<void> {
    await this.#pause(1500);
    if (this.#random.next() < 0.3) {
      for (const { pid, role } of this.#world.processes.list()) if (role === 'watchdog') process.kill(pid, 'SIGKILL');
      this.watchdogs++;
    }
    await this.#world.landscape.kill9();
    this.server++;
    await this.#world.landscape.restart();
  }

  /** Kills the process of a provider, some time after it began. */
  async killProvider(name: string): Promise<void> {
    const { pid } = (await this.#find(name, 1000)) ?? (await this.#replace(name));
    await this.#pause(1500);
    const isThere = (): boolean => this.#world.processes.list().some(process => process.pid === pid);
    assert.ok(isThere(), `the process ${pid} of provider "${name}" has ended although it was not killed`);
    process.kill(pid, 'SIGKILL');
    this.provider++;
    await eventually(() => !isThere());
  }

  /** A container that was killed twice waits ten seconds and more; a new pod begins at once. */
  async #replace(name: string): Promise<LandscapeProcess> {
    const { platform } = this.#world;
    const { items } = await persist(() => platform.list(pods));
    const own = items.filter(({ metadata }) => isPodOf(name, metadata.name));
    for (const { metadata } of own) {
      const at = { ...pods, name: metadata.name ?? '' };
      await persist(() => platform.delete(at, { gracePeriodSeconds: 0 }).catch(ignoreNotFound));
      this.evictions++;
    }
    const found = await eventually(() => this.#find(name, 0), { timeoutMs: 30_000, what: `a process of ${name}` });
    return found;
  }

  async #find(name: string, timeoutMs: number): Promise<LandscapeProcess | undefined> {
    const look = (): LandscapeProcess | undefined =>
      this.#world.processes.list().find(({ pod, isFirst }) => isFirst && isPodOf(name, pod));
    return await eventually(look, { timeoutMs }).catch(() => undefined);
  }

  #pause(maxMs: number): Promise<void> {
    return sleep(this.#random.between(0, maxMs));
  }
}

/** Whether a pod is of the run part of a provider, and not of its init. */
const isPodOf = (provider: string, pod = ''): boolean =>
  pod.startsWith(`sp-${provider}-`) && !pod.startsWith(`sp-${provider}-init-`);

function ignoreNotFound(error: unknown): void {
  if (!isError(error, 'NotFound')) throw error;
}
