import type { JsonObject } from '@chandlery/api';

/** How a call is answered that is not answered by the book. */
export type Misbehaviour =
  /** This status and body. A text is sent as it is (garbage), anything else as JSON (wrong types). */
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The right answer, but later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** No answer at all; the connection stays open until the broker stops. */
  | { readonly type: 'hang' }
  /** The connection ends before any answer. */
  | { readonly type: 'drop' }
  /** The connection ends in the middle of the right answer. */
  | { readonly type: 'drop-mid-body' }
  /** For polls: what is under way has failed. */
  | { readonly type: 'fail-operation'; readonly details?: JsonObject };

/** Which calls misbehave. */
export interface ScriptRule {
  /** Default: any. */
  readonly method?: string;
  /** Matched against path and query. Default: any. */
  readonly path?: RegExp;
  /** How many calls. Default 1; Infinity: from now on. */
  readonly times?: number;
  /** Whether the broker does what it was asked to before it misbehaves. Default false, but always for `delay` and `drop-mid-body`. */
  readonly acts?: boolean;
}

interface ScriptedStep {
  readonly misbehaviour: Misbehaviour;
  readonly rule: ScriptRule;
  timesLeft: number;
}

/** What will go wrong, in the order in which it was said. */
export class BrokerScript {
  #steps: ScriptedStep[] = [];

  add(misbehaviour: Misbehaviour, rule: ScriptRule): void {
    this.#steps.push({ misbehaviour, rule, timesLeft: rule.times ?? 1 });
  }

  clear(): void {
    this.#steps = [];
  }

  /** What goes wrong with this call, if anything does. */
  take(method: string, url: string): { readonly misbehaviour: Misbehaviour; readonly acts: boolean } | undefined {
    if (this.#steps.length === 0) return undefined;
    const step = this.#steps.find(({ rule }) => matches(rule, method, url));
    if (step === undefined) return undefined;
    step.timesLeft -= 1;
    if (step.timesLeft <= 0) this.#steps = this.#steps.filter(other => other !== step);
    return { misbehaviour: step.misbehaviour, acts: step.rule.acts ?? false };
  }
}

const matches = (rule: ScriptRule, method: string, url: string): boolean =>
  (rule.method === undefined || rule.method === method) && (rule.path === undefined || rule.path.test(url));
