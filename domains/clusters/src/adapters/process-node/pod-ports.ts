import { dynamicPortNames, type PortNumbers, reportedPorts } from '../../kinds/dynamic-ports.ts';
import type { Container, Pod } from '../../model/pods/pod.ts';
import { isFree, type PortPool } from './port-pool.ts';

/** The ports that one pod leaves to the node. */
export class PodPorts {
  readonly #pool: PortPool;
  readonly #names: readonly string[];
  /** What an earlier life of the node chose, so that those who know the pod find it again. */
  readonly #earlier: PortNumbers;
  #chosen: PortNumbers = {};
  #turn: Promise<unknown> = Promise.resolve();

  constructor(pool: PortPool, pod: Pod) {
    this.#pool = pool;
    this.#names = dynamicPortNames(pod.annotations);
    this.#earlier = reportedPorts(pod.annotations);
  }

  /** As chosen so far. */
  get numbers(): PortNumbers {
    return this.#chosen;
  }

  /** Chooses what is not chosen, and anew what a container that is about to start would find taken. */
  choose(container: Container): Promise<PortNumbers> {
    const chosen = this.#turn.then(async () => {
      for (const name of this.#names) await this.#chooseOne(name, isDeclared(container, name));
      return this.#chosen;
    });
    this.#turn = chosen.catch(() => undefined);
    return chosen;
  }

  async #chooseOne(name: string, isOwn: boolean): Promise<void> {
    const before = this.#chosen[name];
    if (before !== undefined && (!isOwn || (await isFree(before)))) return;
    if (before !== undefined) this.#pool.release(before);
    const port = await this.#pool.take(before === undefined ? this.#earlier[name] : undefined);
    this.#chosen = { ...this.#chosen, [name]: port };
  }

  /** Gives all back. */
  release(): void {
    for (const port of Object.values(this.#chosen)) this.#pool.release(port);
  }
}

const isDeclared = ({ ports = [] }: Container, wanted: string): boolean => ports.some(({ name }) => name === wanted);
