import { isSameJson, keyOf } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import { holdersOf } from '../../model/scheduling/holds.ts';
import { isExclusive } from '../../model/scheduling/purpose-rule.ts';
import { runProblemOf } from '../../model/scheduling/required-capabilities.ts';

/** The requests that a change of a cluster affects. */
export interface Affected {
  /** Requests by uid. */
  readonly holders: readonly string[];
  /** Requests with the cluster of this key; undefined: they are not affected. */
  readonly givenKey: string | undefined;
  /** Requests of these purposes that wait for a deletion or for capacity. */
  readonly purposes: readonly string[];
}

/**
 * Determines the affected requests, so that one more request on a cluster shared by a thousand enqueues one and not a
 * thousand. One argument is undefined for a created or deleted cluster.
 */
export function affectedRequests(before: Cluster | undefined, after: Cluster | undefined): Affected {
  const cluster = after ?? before;
  if (cluster === undefined) return { holders: [], givenKey: undefined, purposes: [] };
  const isTurn = isGoing(before) !== isGoing(after) || !isSameJson(before?.spec.purposes, after?.spec.purposes);
  const [gained, lost] = [difference(after, before), difference(before, after)];
  const hasRoom = isTurn || lost.length > 0 || isOtherwiseAble(before, after);
  return {
    holders: hasNewTexts(before, after) || isOtherwiseAble(before, after) ? holdersOf(cluster) : [...gained, ...lost],
    givenKey: isTurn ? keyOf(cluster) : undefined,
    purposes: hasRoom ? cluster.spec.purposes : [],
  };
}

const isGoing = (cluster: Cluster | undefined): boolean =>
  cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;

const difference = (one: Cluster | undefined, other: Cluster | undefined): readonly string[] => {
  const others = new Set(other === undefined ? [] : holdersOf(other));
  return one === undefined ? [] : holdersOf(one).filter(uid => !others.has(uid));
};

/** Whether capabilities or readiness changed. The first report equals the profile. */
function isOtherwiseAble(before: Cluster | undefined, after: Cluster | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const wasStated = before.status?.capabilities !== undefined;
  const isSame = isSameJson(before.status?.capabilities, after.status?.capabilities);
  return (wasStated && !isSame) || runProblemOf(before) !== runProblemOf(after);
}

/** Whether labels or annotations changed, which on exclusive clusters are copies of the request's. */
const hasNewTexts = (before: Cluster | undefined, after: Cluster | undefined): boolean =>
  before !== undefined && after !== undefined && isExclusive(after) && !isSameJson(textsOf(before), textsOf(after));

const textsOf = ({ metadata: { labels = {}, annotations = {} } }: Cluster): unknown => ({ labels, annotations });
