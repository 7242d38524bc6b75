import type { Clock } from '@chandlery/platform';
import type { RateRule } from './rate-rules.ts';

/** What is left to a caller under the rule that is nearest to its end. */
export interface RateState {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

interface Window {
  readonly endsAt: number;
  used: number;
}

const maxWindows = 100_000;

/** Counts requests per caller and rule, in this process. All rules that apply count; a refused request counts for none. */
export class RateLimiter {
  readonly #rules: readonly RateRule[];
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(rules: readonly RateRule[], clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** Counts one request. Undefined when no rule applies. */
  take(request: { readonly user: string; readonly method: string; readonly path: string }): RateState | undefined {
    const applying = this.#rules.map((rule, number) => ({ rule, number })).filter(({ rule }) => applies(rule, request));
    if (applying.length === 0) return undefined;
    const now = this.#clock.now().getTime();
    const states = applying.map(({ rule, number }) => {
      const window = this.#window(`${number} ${request.user}`, rule, now);
      return { rule, window };
    });
    const isAllowed = states.every(({ rule, window }) => window.used < rule.count);
    if (isAllowed) for (const { window } of states) window.used++;
    const nearest = states.reduce((one, other) => (leftOf(other) < leftOf(one) ? other : one));
    return {
      isAllowed,
      limit: nearest.rule.count,
      remaining: leftOf(nearest),
      resetSeconds: Math.max(1, Math.ceil((nearest.window.endsAt - now) / 1000)),
    };
  }

  #window(key: string, { windowMs }: RateRule, now: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined && known.endsAt > now) return known;
    if (this.#windows.size >= maxWindows) this.#forgetEnded(now);
    const window = { endsAt: now + windowMs, used: 0 };
    this.#windows.set(key, window);
    return window;
  }

  /** User names come from outside: their number must not fill the memory. */
  #forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(key);
    if (this.#windows.size >= maxWindows) this.#windows.clear();
  }
}

const leftOf = ({ rule, window }: { readonly rule: RateRule; readonly window: Window }): number =>
  Math.max(0, rule.count - window.used);

const applies = (
  { pathPrefix, method }: RateRule,
  request: { readonly method: string; readonly path: string },
): boolean => request.path.startsWith(pathPrefix) && (method === undefined || method === request.method);
