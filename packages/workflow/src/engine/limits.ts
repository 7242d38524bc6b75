import type { Template } from '../document/template.ts';
import { isFulfilled } from './node-status.ts';
import type { NodeTable } from './node-table.ts';

/** A call that may have to wait for its turn. */
export interface Waiter {
  readonly boundary: string | undefined;
  readonly retryEntry: () => void;
}

/** Parallelism of the workflow and of its templates: calls beyond a limit wait in a FIFO queue. */
export class Limits {
  readonly #nodes: NodeTable;
  readonly #parallelism: number | undefined;
  readonly #boundaries = new Map<string, Template>();
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(nodes: NodeTable, parallelism: number | undefined) {
    this.#nodes = nodes;
    this.#parallelism = parallelism === 0 ? undefined : parallelism;
  }

  /** Registers the template whose children a boundary has. */
  open(boundary: string, template: Template): void {
    this.#boundaries.set(boundary, template);
  }

  /** Whether a call may proceed; otherwise it waits, or is dropped because its boundary fails fast. */
  admit(waiter: Waiter): boolean {
    const { boundary } = waiter;
    if (this.#parallelism !== undefined && this.#nodes.activePods >= this.#parallelism) return this.#wait('', waiter);
    const template = boundary === undefined ? undefined : this.#boundaries.get(boundary);
    if (boundary === undefined || template === undefined) return true;
    const counts = this.#nodes.countsOf(boundary);
    if (template.failFast === true && counts.unsuccessful > 0) return false;
    const limit = template.parallelism ?? 0;
    return limit === 0 || counts.activeChildren < limit || this.#wait(boundary, waiter);
  }

  /** Those that may try again now that a node of a boundary has ended. */
  takeReady(boundary: string | undefined): Waiter[] {
    const ready = this.#takeUpTo('', this.#freePods());
    if (boundary !== undefined) ready.push(...this.#takeUpTo(boundary, this.#freeChildren(boundary)));
    return ready;
  }

  /** Whether a failure among its children ends a boundary: none of its pods runs any more. */
  isFailedFast(boundary: string): boolean {
    const node = this.#nodes.get(boundary);
    const counts = this.#nodes.countsOf(boundary);
    const isFast = this.#boundaries.get(boundary)?.failFast === true;
    return isFast && counts.unsuccessful > 0 && counts.activePods === 0 && node !== undefined && !isFulfilled(node);
  }

  #freePods(): number {
    return (this.#parallelism ?? Number.POSITIVE_INFINITY) - this.#nodes.activePods;
  }

  #freeChildren(boundary: string): number {
    const limit = this.#boundaries.get(boundary)?.parallelism ?? 0;
    return (limit === 0 ? Number.POSITIVE_INFINITY : limit) - this.#nodes.countsOf(boundary).activeChildren;
  }

  #takeUpTo(queue: string, count: number): Waiter[] {
    const waiting = this.#waiting.get(queue);
    if (waiting === undefined || count <= 0) return [];
    const taken = waiting.splice(0, count);
    if (waiting.length === 0) this.#waiting.delete(queue);
    return taken;
  }

  #wait(queue: string, waiter: Waiter): false {
    const waiting = this.#waiting.get(queue);
    if (waiting === undefined) this.#waiting.set(queue, [waiter]);
    else waiting.push(waiter);
    return false;
  }
}
