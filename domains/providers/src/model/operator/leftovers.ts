import type { KubeObject } from '@chandlery/api';
import { providerNames } from '../../kinds/index.ts';
import type { Remaining } from './remaining.ts';

const titleOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

/** Requests that a provider created for service objects, by kind. Without service objects, they are leftovers. */
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

/** Describes the leftovers that need a decision, and unreachable clusters; undefined when there are none. */
export function decisionNeeded(requests: readonly KubeObject[]): string | undefined {
  const leftovers = requests.filter(request => leftoverTextOf(request) !== undefined);
  // Requests that are to be deleted are retried; their annotation says why that fails.
  const isToGo = ({ metadata }: KubeObject): boolean =>
    metadata.annotations?.[providerNames.requestPolicyAnnotation] === 'Delete';
  const undecided = leftovers.filter(request => !isToGo(request));
  const stuck = leftovers.filter(isToGo).map(request => `${namedTitleOf(request)}: ${leftoverTextOf(request)}`);
  const sentences = [...(undecided.length === 0 ? [] : [decisionText(undecided)]), ...stuck.sort()];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

const leftoverTextOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[providerNames.leftoverAnnotation];

const namedTitleOf = (object: KubeObject): string => `${object.kind} ${titleOf(object)}`;

function decisionText(undecided: readonly KubeObject[]): string {
  const names = undecided.map(namedTitleOf).sort();
  return `Deleted orders left ${names.join(', ')}, and perhaps services that were to stay. To have them removed, annotate each with ${providerNames.requestPolicyAnnotation}=Delete; to keep them, leave them as they are.`;
}
