import { dynamicPortNames, type PortNumbers, reportedPorts } from '../../kinds/dynamic-ports.ts';
import type { Container, Pod } from '../../model/pods/pod.ts';
import { isFree, type PortPool } from './port-pool.ts';

/** The ports of one pod that the node assigns. */
export class PodPorts {
  readonly #pool: PortPool;
  readonly #names: readonly string[];
  /** The numbers that an earlier node process assigned, so that clients of the pod still find it. */
  readonly #earlier: PortNumbers;
  #chosen: PortNumbers = {};
  #pending: Promise<unknown> = Promise.resolve();

  constructor(pool: PortPool, pod: Pod) {
    this.#pool = pool;
    this.#names = dynamicPortNames(pod.annotations);
    this.#earlier = reportedPorts(pod.annotations);
  }

  /** The numbers assigned so far. */
  get numbers(): PortNumbers {
    return this.#chosen;
  }

  /** Assigns missing numbers, and replaces those that are in use when a container is about to start. */
  choose(container: Container): Promise<PortNumbers> {
    const chosen = this.#pending.then(async () => {
      for (const name of this.#names) await this.#chooseOne(name, isDeclared(container, name));
      return this.#chosen;
    });
    this.#pending = chosen.catch(() => undefined);
    return chosen;
  }

  async #chooseOne(name: string, isOwn: boolean): Promise<void> {
    const before = this.#chosen[name];
    if (before !== undefined && (!isOwn || (await isFree(before)))) return;
    if (before !== undefined) this.#pool.release(before);
    const port = await this.#pool.take(before === undefined ? this.#earlier[name] : undefined);
    this.#chosen = { ...this.#chosen, [name]: port };
  }

  /** Releases all numbers. */
  release(): void {
    for (const port of Object.values(this.#chosen)) this.#pool.release(port);
  }
}

const isDeclared = ({ ports = [] }: Container, wanted: string): boolean => ports.some(({ name }) => name === wanted);
