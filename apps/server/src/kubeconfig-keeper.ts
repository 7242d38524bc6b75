import { type Kernel, logicalClusterResource, platformCluster } from '@chandlery/kernel';
import { type AdminKubeconfig, writeKubeconfig } from './admin-kubeconfig.ts';

/** Writing takes at most this share of the time, however many logical clusters come and go. */
const restFactor = 20;
const minRestMs = 100;

export interface KubeconfigKeeperOptions {
  readonly kernel: Kernel;
  readonly path: string;
  /** Asked for each write: the authority may have changed. */
  readonly content: () => Omit<AdminKubeconfig, 'clusters'>;
  readonly onFailure: (error: unknown) => void;
}

/** Keeps the administrator's kubeconfig in step with the logical clusters: at once, and many changes in one write. */
export class KubeconfigKeeper implements AsyncDisposable {
  readonly #options: KubeconfigKeeperOptions;
  readonly #stopListening: () => void;
  #rest: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isStale = false;

  constructor(options: KubeconfigKeeperOptions) {
    this.#options = options;
    const scope = { cluster: platformCluster, resource: logicalClusterResource };
    this.#stopListening = options.kernel.feed.listen(scope, events => {
      if (events.some(({ change }) => change.type !== 'updated')) this.#refresh();
    });
  }

  async write(): Promise<void> {
    const { kernel, path, content } = this.#options;
    const page = await kernel.store.list({ cluster: platformCluster, resource: logicalClusterResource });
    writeKubeconfig(path, { ...content(), clusters: page.items.map(({ key }) => key.name) });
  }

  /** Writes the file again, soon: something in it has changed. */
  refresh(): void {
    this.#refresh();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    await this.#writing;
    clearTimeout(this.#rest);
  }

  #refresh(): void {
    if (this.#rest !== undefined || this.#writing !== undefined) {
      this.#isStale = true;
      return;
    }
    this.#isStale = false;
    const startedAt = performance.now();
    this.#writing = this.write()
      .catch(this.#options.onFailure)
      .finally(() => this.#takeRest(performance.now() - startedAt));
  }

  #takeRest(tookMs: number): void {
    this.#writing = undefined;
    this.#rest = setTimeout(
      () => {
        this.#rest = undefined;
        if (this.#isStale) this.#refresh();
      },
      Math.max(minRestMs, tookMs * restFactor),
    );
    this.#rest.unref();
  }
}
