import { fromLabelSelectorObject, matchesLabels } from '@chandlery/api';
import type { Cluster } from '../../kinds/cluster.ts';
import type { PurposeRule } from './purpose-rule.ts';

/** Selects among the clusters of a purpose. */
export type ClusterSelector = NonNullable<PurposeRule['selector']>;
type PurposeRequirement = NonNullable<ClusterSelector['matchPurposes']>[number];

/** Whether a selector matches a cluster. Identities override the rest. Throws `BadRequest` for invalid labels. */
export function matchesSelector(selector: ClusterSelector | undefined, cluster: Cluster): boolean {
  if (selector === undefined) return true;
  const { matchIdentities, matchPurposes = [], ...labels } = selector;
  if (matchIdentities !== undefined) return matchIdentities.some(identity => isIdentity(identity, cluster));
  return (
    matchesLabels(fromLabelSelectorObject(labels), cluster.metadata.labels ?? {}) &&
    matchPurposes.every(requirement => matchesPurposes(requirement, cluster.spec.purposes))
  );
}

/** An identity without namespace matches the name in any namespace. */
const isIdentity = (
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  { metadata }: Cluster,
): boolean => name === metadata.name && (namespace === undefined || namespace === metadata.namespace);

function matchesPurposes({ operator, values }: PurposeRequirement, purposes: readonly string[]): boolean {
  switch (operator) {
    case 'ContainsAll':
      return values.every(value => purposes.includes(value));
    case 'ContainsAny':
      return values.some(value => purposes.includes(value));
    case 'ContainsNone':
      return !values.some(value => purposes.includes(value));
    case 'Equals':
      return new Set([...values, ...purposes]).size === new Set(values).size && values.every(v => purposes.includes(v));
  }
}
