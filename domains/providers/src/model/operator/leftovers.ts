import type { KubeObject } from '@chandlery/api';
import { providerNames } from '../../kinds/index.ts';
import type { Remaining } from './remaining.ts';

const titleOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

/** Requests that a provider made on behalf of orders, by kind. When there are no orders any more, they are left over. */
export function leftoversOf(requests: readonly KubeObject[]): Remaining[] {
  const ofOrders = requests.filter(({ metadata }) => metadata.labels?.[providerNames.instanceLabel] !== undefined);
  const byKind = Object.groupBy(ofOrders, ({ kind }) => kind);
  return Object.entries(byKind).map(([kind, objects = []]) => ({
    kind,
    count: objects.length,
    names: objects.map(titleOf),
    isOwn: true,
  }));
}

/** What somebody has to decide about, and how; undefined when there is nothing. */
export function decisionNeeded(requests: readonly KubeObject[]): string | undefined {
  const undecided = requests.filter(({ metadata }) => metadata.annotations?.[providerNames.leftoverAnnotation]);
  if (undecided.length === 0) return undefined;
  const names = undecided.map(object => `${object.kind} ${titleOf(object)}`).sort();
  return `Orders are gone that left ${names.join(', ')}, and perhaps services that were to stay. To have them removed, annotate each with ${providerNames.requestPolicyAnnotation}=Delete; to keep them, leave them as they are.`;
}
