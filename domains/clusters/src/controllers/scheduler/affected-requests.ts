import { isSameJson, keyOf } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import { holdersOf } from '../../model/scheduling/holds.ts';
import { isExclusive } from '../../model/scheduling/purpose-rule.ts';
import { runProblemOf } from '../../model/scheduling/required-capabilities.ts';

/** Which requests a change of a cluster concerns. */
export interface Affected {
  /** Requests by uid. */
  readonly holders: readonly string[];
  /** Requests that were given the cluster of this key; undefined: these need not know. */
  readonly givenKey: string | undefined;
  /** Requests of these purposes that wait for a cluster to go or to have room. */
  readonly purposes: readonly string[];
}

/**
 * Finds out whom a change concerns, so that one more request on a cluster that a thousand share wakes one and not a
 * thousand. One of the two is undefined for a cluster that came or went.
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

/** What the cluster can do has changed, or whether it does. What is stated for the first time is as its profile said. */
function isOtherwiseAble(before: Cluster | undefined, after: Cluster | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const wasStated = before.status?.capabilities !== undefined;
  const isSame = isSameJson(before.status?.capabilities, after.status?.capabilities);
  return (wasStated && !isSame) || runProblemOf(before) !== runProblemOf(after);
}

/** Somebody changed labels or annotations, which on exclusive clusters are copies of the request's. */
const hasNewTexts = (before: Cluster | undefined, after: Cluster | undefined): boolean =>
  before !== undefined && after !== undefined && isExclusive(after) && !isSameJson(textsOf(before), textsOf(after));

const textsOf = ({ metadata: { labels = {}, annotations = {} } }: Cluster): unknown => ({ labels, annotations });
