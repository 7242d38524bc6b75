import { isJsonObject, type KubeObject } from '@chandlery/api';
import { setCondition } from '@chandlery/runtime';

type Fields = Readonly<Record<string, unknown>>;

/** Why a source cannot be synced, for its status. */
export interface Obstacle {
  readonly reason: 'Conflict' | 'Invalid';
  readonly message: string;
}

/**
 * The status of a source: that of its copy, with generations translated from the copy to the source, and the condition
 * `Synced` when there is an obstacle.
 */
export function statusUp(
  source: KubeObject,
  copy: KubeObject | undefined,
  { obstacle, now }: { readonly obstacle?: Obstacle | undefined; readonly now: Date },
): Fields | undefined {
  const status = copy === undefined ? source['status'] : translate(copy['status'], generations(source, copy));
  if (obstacle === undefined) return isJsonObject(status) ? status : undefined;
  // An existing condition keeps its time.
  const shown: KubeObject = {
    ...source,
    status: { ...(isJsonObject(status) ? status : {}), conditions: conditions(source, status) },
  };
  setCondition(shown, { type: 'Synced', status: 'False', ...obstacle }, now);
  return shown['status'] as Fields;
}

interface WithConditions {
  readonly conditions?: readonly { readonly type?: string }[];
}

/** The conditions of the copy, and those of the source that the syncer sets. */
function conditions(source: KubeObject, status: unknown): unknown[] {
  const ofCopy = (status as WithConditions | undefined)?.conditions ?? [];
  const ofSource = (source['status'] as WithConditions | undefined)?.conditions ?? [];
  return [...ofCopy.filter(({ type }) => type !== 'Synced'), ...ofSource.filter(({ type }) => type === 'Synced')];
}

interface Generations {
  readonly copy: number;
  readonly source: number;
}

const generations = (source: KubeObject, copy: KubeObject): Generations => ({
  copy: copy.metadata.generation ?? 1,
  source: source.metadata.generation ?? 1,
});

function translate(status: unknown, generation: Generations): unknown {
  if (!isJsonObject(status)) return status;
  const conditions = status['conditions'];
  return {
    ...observed(status, generation),
    ...(Array.isArray(conditions) ? { conditions: conditions.map(each => observed(each, generation)) } : {}),
  };
}

/** An observation of the copy's current generation is one of the source's current generation; any other is older. */
function observed(value: unknown, { copy, source }: Generations): Fields {
  if (!isJsonObject(value)) return value as Fields;
  const { observedGeneration } = value;
  if (typeof observedGeneration !== 'number') return value;
  return {
    ...value,
    observedGeneration: observedGeneration >= copy ? source : Math.min(observedGeneration, source - 1),
  };
}
