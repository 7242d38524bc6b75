import type { VisibilityRow } from '../model/rows.ts';

type Spec = VisibilityRow['spec'];
type Labels = Readonly<Record<string, readonly string[]>>;

/** A visibility that is to be made. */
export interface NewVisibility {
  readonly tenant: string;
  /** Default: a new one. */
  readonly id?: string;
  readonly planId: string;
  /** Default, and when empty: every platform. */
  readonly platformId?: string | null;
  readonly labels?: Labels;
  readonly correlationId?: string;
}

/** What changes of a visibility. What is not given stays. */
export interface VisibilityChange {
  readonly planId?: string;
  /** Null or empty: every platform. */
  readonly platformId?: string | null;
  /** The new labels, or how they come from those that there are. */
  readonly labels?: Labels | ((current: Labels) => Labels);
  readonly correlationId?: string;
  /** The last state that platforms were notified of, if the row has changed since. Default: the row. */
  readonly before?: VisibilityRow;
}

/** The spec of a visibility that is to be made. An empty platform is every platform. */
export function specOf({ planId, platformId, labels = {} }: Omit<NewVisibility, 'tenant'>): Spec {
  const copied = Object.entries(labels).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    planId,
    ...(platformId ? { platformId } : {}),
    ...(copied.length === 0 ? {} : { labels: Object.fromEntries(copied) }),
  };
}

/** The spec of a visibility after a change. */
export function changedSpec({ spec }: VisibilityRow, { planId, platformId, labels }: VisibilityChange): Spec {
  const current = spec.labels ?? {};
  return specOf({
    planId: planId ?? spec.planId,
    platformId: (platformId === undefined ? spec.platformId : platformId) ?? null,
    labels: typeof labels === 'function' ? labels(current) : (labels ?? current),
  });
}
