import type { ObjectName, ServedKind } from '../api/kinds.ts';
import { type QueryChange, viewHref } from './location.ts';

/** The core group has no name; addresses need one. */
const coreGroup = 'core';

export const groupInPath = (group: string): string => (group === '' ? coreGroup : group);
export const groupOfPath = (segment: string): string => (segment === coreGroup ? '' : segment);

/** Cluster-scoped objects have no namespace; addresses need something in its place. */
const noNamespace = '-';

export const namespaceOfPath = (segment: string): string => (segment === noNamespace ? '' : segment);

export const pageHref = (cluster: string, page: string, query?: QueryChange): string =>
  viewHref([cluster, page], query);

export const kindHref = (
  cluster: string,
  { group, plural }: Pick<ServedKind, 'group' | 'plural'>,
  query?: QueryChange,
): string => viewHref([cluster, 'list', groupInPath(group), plural], query);

export const objectHref = (
  cluster: string,
  { group, plural }: Pick<ServedKind, 'group' | 'plural'>,
  { namespace, name }: ObjectName,
  query?: QueryChange,
): string => viewHref([cluster, 'object', groupInPath(group), plural, namespace || noNamespace, name], query);
