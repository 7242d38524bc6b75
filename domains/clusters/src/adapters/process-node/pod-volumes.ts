import { join } from 'node:path';
import { tokenRenewalShare } from '@chandlery/api';
import { isolationAnnotation } from '../../kinds/private-paths.ts';
import type { Mount } from '../../model/pods/mounts.ts';
import type { Container } from '../../model/pods/pod.ts';
import type { NodeDeps, PodGiven } from './node-deps.ts';
import { accountMounts, accountOf, accountTokenSeconds, writeAccountFiles } from './service-account-files.ts';
import { realizeVolume, resolveMounts, tokenSeconds } from './volumes.ts';

/** The places of a pod's volumes. */
export interface VolumePlaces {
  readonly volumes: ReadonlyMap<string, string>;
  /** The folder of the service account's files, if the pod has them. */
  readonly account?: string;
}

/** The folder of a pod's volumes: beside the containers' folders, under a name that no container can have. */
export const volumesFolder = (podFolder: string): string => join(podFolder, '.volumes');

/** Creates a pod's volumes, and keeps their files and tokens up to date until it is stopped. */
export class PodVolumes {
  readonly #node: NodeDeps;
  readonly #folder: string;
  readonly #given: () => PodGiven;
  #timer: NodeJS.Timeout | undefined;
  #pending: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(node: NodeDeps, podFolder: string, given: () => PodGiven) {
    this.#node = node;
    this.#folder = volumesFolder(podFolder);
    this.#given = given;
  }

  async realize(): Promise<VolumePlaces> {
    const { machine } = this.#node;
    const { pod, sources, home } = this.#given();
    const claimsFolder = join(this.#node.claimsFolder, home.cluster);
    const tokens = home.tokens ?? this.#node.tokens;
    const deps = { pod, sources, machine, tokens, claimsFolder, folder: this.#folder };
    const volumes = pod.spec.volumes ?? [];
    const places = await Promise.all(volumes.map(volume => realizeVolume(deps, volume)));
    const account = await this.#realizeAccount();
    this.#renewTokens();
    const byName = new Map(volumes.map(({ name }, index) => [name, places[index] ?? '']));
    return { volumes: byName, ...(account === undefined ? {} : { account }) };
  }

  async #realizeAccount(): Promise<string | undefined> {
    const { pod } = this.#given();
    const account = this.#account();
    if (account === undefined) return undefined;
    // No volume can have this name.
    const folder = join(this.#folder, '.account');
    await writeAccountFiles(folder, pod, account);
    return folder;
  }

  #account(): ReturnType<typeof accountOf> {
    const { pod, home } = this.#given();
    if (pod.annotations[isolationAnnotation] !== undefined) return undefined;
    return accountOf(pod, { ...home, tokens: home.tokens ?? this.#node.tokens });
  }

  /** Schedules the renewal of the token that expires first. */
  #renewTokens(): void {
    clearTimeout(this.#timer);
    const volumes = this.#given().pod.spec.volumes ?? [];
    const account = this.#account() === undefined ? [] : [accountTokenSeconds];
    const lives = [...account, ...volumes.map(tokenSeconds).filter(seconds => seconds !== undefined)];
    if (lives.length === 0 || this.#isStopped) return;
    this.#timer = setTimeout(() => this.refresh(), Math.min(...lives) * tokenRenewalShare * 1000);
    this.#timer.unref();
  }

  /** Updates the files. */
  refresh(): void {
    if (this.#isStopped) return;
    // A missing object may exist at the next start, which reports it; until then the old files stay.
    const refreshed = this.realize().catch(() => this.#renewTokens());
    this.#pending = Promise.allSettled([this.#pending, refreshed]);
  }

  /** Stops all renewals. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Settles when no write is in progress. */
  async settled(): Promise<void> {
    await this.#pending;
  }
}

/** The mounts of a container. */
export const mountsOf = (container: Container, { volumes, account }: VolumePlaces): readonly Mount[] => [
  ...resolveMounts(container, volumes),
  ...(account === undefined ? [] : accountMounts(container, account)),
];
