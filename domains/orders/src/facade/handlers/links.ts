import { type UrnKind, urnOf } from '../../model/urns.ts';
import type { Call } from './call.ts';

/** A link to another document. */
export interface Link {
  readonly rel: string;
  readonly type: string;
  readonly href: string;
}

/** The collections of the REST API by the kind of their records. */
const collections = {
  service: 'services2',
  order: 'orders',
  job: 'jobs',
  artifact: 'artifacts',
  collection: 'collections',
  queue: 'queues',
  aspect: 'aspects',
} as const satisfies Partial<Record<UrnKind, string>>;

/** A kind whose records have addresses. */
export type LinkedKind = keyof typeof collections;

/** The address of a record. URNs are legible in paths: a colon needs no encoding there. */
export const hrefOf = ({ origin }: Pick<Call, 'origin'>, kind: LinkedKind, id: string, collection?: string): string =>
  `${origin}/1/${collection ?? collections[kind]}/${urnOf(kind, id)}`;

/** A link of JSON. */
export const link = (rel: string, href: string): Link => ({ rel, type: 'application/json', href });
