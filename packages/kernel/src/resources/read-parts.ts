import type { ListQuery, Page, StoredObject } from '../store/store.ts';
import { narrowParts, type VisiblePart } from '../views/visible-parts.ts';
import type { ResourceDeps } from './request.ts';

/** A page of some parts of a collection. */
export interface PartsQuery extends Omit<ListQuery, 'namespace' | 'after' | 'at'> {
  readonly cluster: string;
  readonly parts: readonly VisiblePart[];
  readonly namespace?: string;
  readonly name?: string;
  readonly after?: ListQuery['after'];
  readonly at: number;
}

/** A namespace, or one object of it, that is yet to be read. */
interface Stretch {
  readonly namespace: string;
  readonly name?: string;
}

/** Reads a page of the parts in key order, all as of one revision. Its cost follows the parts, not the collection. */
export async function readParts({ store }: Pick<ResourceDeps, 'store'>, query: PartsQuery): Promise<Page> {
  const { parts, namespace, name, after, limit = Number.POSITIVE_INFINITY, maxBytes, ...rest } = query;
  const wanted = narrowParts(parts, {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  });
  const stretches = wanted.flatMap(stretchesOf).filter(stretch => !isBefore(stretch, after));
  const items: StoredObject[] = [];
  let bytes = 0;
  for (const [index, stretch] of stretches.entries()) {
    const page = await store.list({
      ...rest,
      ...placeOf(stretch, rest.cluster, after),
      isCounted: false,
      ...(stretch.name === undefined && limit !== Number.POSITIVE_INFINITY ? { limit: limit - items.length } : {}),
      ...(maxBytes === undefined ? {} : { maxBytes: maxBytes - bytes }),
    });
    const found = page.items.filter(({ key }) => stretch.name === undefined || key.name === stretch.name);
    items.push(...found);
    bytes += found.reduce((sum, { value }) => sum + value.bytes.length, 0);
    const isCut = stretch.name === undefined && page.more;
    const isFull = items.length >= limit || (maxBytes !== undefined && bytes >= maxBytes);
    if (isCut || isFull) return { items, revision: query.at, more: isCut || index < stretches.length - 1 };
  }
  return { items, revision: query.at, more: false };
}

const stretchesOf = ({ namespace, names }: VisiblePart): readonly Stretch[] =>
  names === undefined ? [{ namespace }] : names.map(name => ({ namespace, name }));

/** Whether all of a stretch lies before the place where the page begins. */
function isBefore({ namespace, name }: Stretch, after: ListQuery['after']): boolean {
  if (after === undefined || namespace > after.namespace) return false;
  return namespace < after.namespace || (name !== undefined && name <= after.name);
}

function placeOf(
  { namespace, name }: Stretch,
  cluster: string,
  after: ListQuery['after'],
): Pick<ListQuery, 'namespace' | 'after' | 'limit'> {
  if (name !== undefined) return { namespace, after: { cluster, namespace, name: justBefore(name) }, limit: 1 };
  return { namespace, ...(after?.namespace === namespace ? { after } : {}) };
}

/** A text that sorts before the name, with no other name between them. */
function justBefore(name: string): string {
  const last = name.length - 1;
  const before = String.fromCharCode(name.charCodeAt(last) - 1);
  return `${name.slice(0, last)}${before}\u{10ffff}`;
}
