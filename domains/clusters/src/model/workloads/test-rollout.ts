import { sum } from './numbers.ts';
import { initialReplicas, planRollingUpdate, type RolloutLimits, type RolloutView, type SetView } from './rollout.ts';

/** A replica set as rollouts see it. */
export const set = (name: string, replicas: number, available = replicas, more: Partial<SetView> = {}): SetView => ({
  name,
  replicas,
  available,
  createdAtMs: name.charCodeAt(0),
  ...more,
});

/** Sets with pods that come and go in their own time, and report late. */
export class RolloutFixture {
  readonly replicas: number;
  readonly limits: RolloutLimits;
  readonly sets: { name: string; wanted: number; ready: number; unready: number; reported: number }[] = [];

  constructor(replicas: number, limits: RolloutLimits) {
    this.replicas = replicas;
    this.limits = limits;
    this.sets.push({ name: 'a', wanted: replicas, ready: replicas, unready: 0, reported: replicas });
  }

  get view(): RolloutView {
    const views = this.sets.map(({ name, wanted, reported }) => set(name, wanted, reported));
    return { replicas: this.replicas, limits: this.limits, current: views.at(-1), old: views.slice(0, -1) };
  }

  get available(): number {
    return sum(this.sets.map(({ ready }) => ready));
  }

  get wanted(): number {
    return sum(this.sets.map(({ wanted }) => wanted));
  }

  changeTemplate(): void {
    const name = String.fromCharCode(97 + this.sets.length);
    const old = this.sets.map(({ name: other, wanted, reported }) => set(other, wanted, reported));
    const wanted = initialReplicas({ ...this.view, current: undefined, old });
    this.sets.push({ name, wanted, ready: 0, unready: 0, reported: 0 });
  }

  roll(): boolean {
    const plan = planRollingUpdate(this.view);
    for (const { name, replicas } of plan) {
      const scaled = this.sets.find(candidate => candidate.name === name);
      if (scaled !== undefined) scaled.wanted = replicas;
    }
    return plan.length > 0;
  }

  /** Makes what is missing, removes what is too much: those that are not ready first. */
  manage(index: number): void {
    const one = this.sets[index % this.sets.length];
    if (one === undefined) return;
    one.unready += Math.max(0, one.wanted - one.ready - one.unready);
    while (one.ready + one.unready > one.wanted) {
      if (one.unready > 0) one.unready -= 1;
      else one.ready -= 1;
    }
  }

  becomeReady(index: number): void {
    const one = this.sets[index % this.sets.length];
    if (one === undefined || one.unready === 0) return;
    one.unready -= 1;
    one.ready += 1;
  }

  report(index: number): void {
    const one = this.sets[index % this.sets.length];
    if (one !== undefined) one.reported = one.ready;
  }

  settle(): void {
    for (let round = 0; round < 500; round++) {
      const indexes = this.sets.keys().toArray();
      for (const index of indexes) {
        this.manage(index);
        this.becomeReady(index);
        this.report(index);
      }
      this.roll();
    }
  }
}
