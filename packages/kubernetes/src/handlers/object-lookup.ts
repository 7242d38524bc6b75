import { badRequest, isRecord, type KubeObject, parseLabelSelector } from '@chandlery/api';
import {
  type ObjectKey,
  type Served,
  type ServedKind,
  type StoredObject,
  serveStored,
  type Target,
} from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import type { Call } from '../call.ts';
import { filledKinds, noise, TargetsByPlace } from './visible-targets.ts';

interface ObjectReference {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

interface Lookup {
  readonly owners: readonly string[];
  readonly objects: readonly ObjectReference[];
  readonly labelSelectors: readonly string[];
  readonly namespaces: readonly string[];
  readonly groups: readonly string[];
  /** The key after which the page begins. Empty: at the beginning. */
  readonly after: string;
}

/** How many owners, names, selectors, namespaces and groups one request may have. */
const maxQuestions = 1000;
/** A request finds no more objects than this: what one owner, selector or namespace has beyond is not found. */
const maxFound = 10_000;
/** The dependants of so many owners are read at a time. */
const ownersAtATime = 16;
/** A page ends with the object that reaches either. */
const maxItems = 1500;
const maxBytes = 2 * 1024 * 1024;

/** Reads the objects that a lookup names and that the caller may list, by indexes: it costs as much as what it finds. */
export async function lookUpObjects(call: Call, { spec }: KubeObject): Promise<object> {
  const lookup = lookupOf((spec ?? {}) as Readonly<Record<string, unknown>>);
  const found = new FoundObjects(call);
  await found.addDependants(lookup.owners);
  await found.addNamed(lookup.objects);
  await found.addChosen(lookup);
  return found.pageAfter(lookup.after);
}

function lookupOf(spec: Readonly<Record<string, unknown>>): Lookup {
  const { objects = [], continue: after = '' } = spec;
  if (!Array.isArray(objects) || !objects.every(isReference))
    throw badRequest('spec.objects must be a list of {group, kind, namespace, name}');
  if (typeof after !== 'string') throw badRequest('spec.continue must be that of a response');
  const lookup: Lookup = {
    owners: textsOf(spec, 'owners'),
    objects,
    labelSelectors: textsOf(spec, 'labelSelectors'),
    namespaces: textsOf(spec, 'namespaces'),
    groups: textsOf(spec, 'groups'),
    after: Buffer.from(after, 'base64url').toString(),
  };
  lookup.labelSelectors.forEach(checkSelector);
  const { owners, labelSelectors, namespaces, groups } = lookup;
  const questions = [owners, objects, labelSelectors, namespaces, groups].reduce((sum, { length }) => sum + length, 0);
  if (questions === 0) throw badRequest('spec must name owners, objects, labelSelectors, namespaces or groups');
  if (questions > maxQuestions) throw badRequest(`spec may name at most ${maxQuestions} things: ask several times`);
  return lookup;
}

function textsOf(spec: Readonly<Record<string, unknown>>, field: string): readonly string[] {
  const { [field]: texts = [] } = spec;
  if (Array.isArray(texts) && texts.every(text => typeof text === 'string' && text !== '')) return texts as string[];
  throw badRequest(`spec.${field} must be a list of strings`);
}

const isReference = (value: unknown): value is ObjectReference =>
  isRecord(value) &&
  typeof value['kind'] === 'string' &&
  typeof value['name'] === 'string' &&
  ['group', 'namespace'].every(field => ['string', 'undefined'].includes(typeof value[field]));

/** Labels are indexed by their values. */
function checkSelector(text: string): void {
  if (!parseLabelSelector(text).requirements.some(({ operator }) => operator === 'In'))
    throw badRequest(`spec.labelSelectors: "${text}" must name a value: KEY=VALUE`);
}

interface Found {
  readonly served: Served;
  readonly target: Target;
}

/** What was found by any of the indexes, each object once. */
class FoundObjects {
  readonly #call: Call;
  readonly #targets: TargetsByPlace;
  readonly #found = new Map<string, Found>();
  readonly #pace = new Pace();
  #isIncomplete = false;

  constructor(call: Call) {
    this.#call = call;
    this.#targets = new TargetsByPlace(call);
  }

  async addDependants(uids: readonly string[]): Promise<void> {
    const { kernel, home } = this.#call;
    for (let start = 0; start < uids.length; start += ownersAtATime) {
      const some = uids.slice(start, start + ownersAtATime);
      const found = await Promise.all(some.map(uid => kernel.dependants(home, uid, maxFound)));
      for (const stored of found.flat()) await this.#offer(stored);
      await this.#rest();
    }
  }

  async addNamed(references: readonly ObjectReference[]): Promise<void> {
    const { kernel, home, kinds } = this.#call;
    for (const { group = '', kind, namespace = '', name } of references) {
      const served = [...kinds.all()].find(({ kind: known }) => known.group === group && known.kind === kind);
      if (served === undefined) continue;
      const { resource } = served.kind.stored;
      const stored = await kernel.store.get({ cluster: home, resource, namespace, name });
      if (stored !== undefined) await this.#offer(stored);
      await this.#rest();
    }
  }

  async addChosen({ labelSelectors, namespaces, groups }: Lookup): Promise<void> {
    if (labelSelectors.length + namespaces.length + groups.length === 0) return;
    for (const served of await filledKinds(this.#call)) {
      for (const labelSelector of labelSelectors) await this.#addListed(served, '', labelSelector);
      if (served.kind.isNamespaced) for (const namespace of namespaces) await this.#addListed(served, namespace, '');
      else if (groups.includes(served.kind.group)) await this.#addListed(served, '', '');
    }
  }

  /** The objects after a key, in the order of their keys, and where the next page begins. */
  async pageAfter(after: string): Promise<object> {
    const ids = [...this.#found.keys()].filter(id => id > after).sort();
    const items: KubeObject[] = [];
    let bytes = 0;
    for (const id of ids) {
      if (items.length >= maxItems || bytes >= maxBytes) break;
      const { served, target } = this.#found.get(id) as Found;
      const { metadata, ...object } = served.object;
      const { managedFields: _, ...rest } = metadata;
      const { apiVersion } = target.resource.version;
      items.push({ ...object, apiVersion, kind: target.resource.kind.kind, metadata: rest });
      bytes += served.bytes.length;
      await this.#rest();
    }
    const last = ids[items.length - 1];
    const isCut = items.length < ids.length && last !== undefined;
    return {
      items,
      ...(isCut ? { continue: Buffer.from(last).toString('base64url') } : {}),
      ...(this.#isIncomplete ? { isIncomplete: true } : {}),
    };
  }

  async #addListed(served: ServedKind, namespace: string, labelSelector: string): Promise<void> {
    const target = await this.#targets.of(served, namespace);
    if (target === undefined) return;
    let next: string | undefined;
    do {
      const page = await this.#call.calls.list(target, {
        labelSelector,
        limit: maxFound,
        ...(next === undefined ? {} : { continue: next }),
      });
      for (const item of page.items) {
        const { namespace: place = '', name = '' } = item.object.metadata;
        this.#add({ resource: served.kind.resource, namespace: place, name }, { served: item, target });
        await this.#rest();
      }
      next = page.continue;
    } while (next !== undefined && !this.#isIncomplete);
  }

  async #offer(stored: StoredObject): Promise<void> {
    const { kinds, kernel } = this.#call;
    const kind = kinds.get(stored.key.resource);
    if (kind === undefined || noise.has(stored.key.resource)) return;
    const target = await this.#targets.holding(kind, stored.key);
    if (target !== undefined)
      this.#add(stored.key, { served: serveStored(target.resource, kernel.codec, stored), target });
    await this.#rest();
  }

  #add({ resource, namespace, name }: Omit<ObjectKey, 'cluster'>, found: Found): void {
    if (this.#found.size >= maxFound) this.#isIncomplete = true;
    else this.#found.set([resource, namespace, name].join('|'), found);
  }

  async #rest(): Promise<void> {
    if (this.#pace.isDue) await this.#pace.rest();
  }
}
