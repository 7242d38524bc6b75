import { badRequest, isRecord, type KubeObject, parseLabelSelector } from '@chandlery/api';
import type { ObjectKey, ServedKind, Target } from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import { type Call, inTurn } from '../call.ts';
import { filledKinds, noise, TargetsByPlace, unlessDamaged } from './visible-targets.ts';

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
/** Lists are read up to this size: what is beyond is not found. */
const maxListedBytes = 64 * 1024 * 1024;
/** The dependants of so many owners are looked up at a time. */
const ownersAtATime = 16;
/** So many objects of a page are read at a time. */
const readAtATime = 16;
/** A page ends with the object that reaches either. */
const maxItems = 1500;
const maxBytes = 2 * 1024 * 1024;

/** Reads the objects that a lookup names and that the caller may list, by indexes: it costs as much as what it finds. */
export async function lookUpObjects(call: Call, { spec }: KubeObject): Promise<object> {
  const lookup = lookupOf((spec ?? {}) as Readonly<Record<string, unknown>>);
  return inTurn(call, async () => {
    const found = new FoundObjects(call, lookup.owners);
    await found.addDependants();
    await found.addNamed(lookup.objects);
    await found.addChosen(lookup);
    return found.pageAfter(lookup.after);
  });
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
  readonly key: Pick<ObjectKey, 'namespace' | 'name'>;
  readonly target: Target;
  /** Whether it was only found by the index of owners, in which two uids may have the same term. */
  readonly isByOwner: boolean;
}

/** The keys of what was found by any of the indexes, each once. What they hold is read for the page that shows it. */
class FoundObjects {
  readonly #call: Call;
  readonly #targets: TargetsByPlace;
  readonly #owners: ReadonlySet<string>;
  readonly #found = new Map<string, Found>();
  readonly #pace = new Pace();
  #bytesLeft = maxListedBytes;
  #isIncomplete = false;

  constructor(call: Call, owners: readonly string[]) {
    this.#call = call;
    this.#targets = new TargetsByPlace(call);
    this.#owners = new Set(owners);
  }

  async addDependants(): Promise<void> {
    const { kernel, home, kinds } = this.#call;
    const uids = [...this.#owners];
    for (let start = 0; start < uids.length; start += ownersAtATime) {
      const some = uids.slice(start, start + ownersAtATime);
      const found = await Promise.all(some.map(uid => kernel.keysOfDependants(home, uid, maxFound)));
      for (const key of found.flat()) await this.#offer(kinds.get(key.resource), key, true);
      await this.#rest();
    }
  }

  async addNamed(references: readonly ObjectReference[]): Promise<void> {
    const kinds = new Map([...this.#call.kinds.all()].map(served => [nameOfKind(served.kind), served]));
    for (const { group = '', kind, namespace = '', name } of references) {
      const shown = kinds.get(nameOfKind({ group, kind }));
      await this.#offer(shown && this.#call.kinds.get(shown.kind.stored.resource), { namespace, name });
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
    let examined = 0;
    while (examined < ids.length && items.length < maxItems && bytes < maxBytes) {
      for (const found of await this.#readSome(ids.slice(examined, examined + readAtATime))) {
        if (items.length >= maxItems || bytes >= maxBytes) break;
        examined += 1;
        if (found === undefined) continue;
        items.push(found.object);
        bytes += found.bytes;
      }
      await this.#rest();
    }
    const last = ids[examined - 1];
    const isCut = examined < ids.length && last !== undefined;
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
      const listed = this.#call.calls.list(target, {
        labelSelector,
        limit: maxFound,
        ...(next === undefined ? {} : { continue: next }),
      });
      const page = await unlessDamaged(listed);
      if (page === undefined) this.#isIncomplete = true;
      for (const { object, bytes } of page?.items ?? []) {
        const { namespace: place = '', name = '' } = object.metadata;
        this.#add(served.kind.resource, { key: { namespace: place, name }, target, isByOwner: false });
        this.#bytesLeft -= bytes.length;
        await this.#rest();
      }
      if (this.#bytesLeft <= 0) this.#isIncomplete = true;
      // What finds nothing takes its time, too.
      await this.#rest();
      next = page?.continue;
    } while (next !== undefined && !this.#isIncomplete);
  }

  /** Takes an object that may be there, as far as the caller may list it. */
  async #offer(served: ServedKind | undefined, key: Found['key'], isByOwner = false): Promise<void> {
    if (served === undefined || noise.has(served.kind.resource)) return;
    const target = await this.#targets.holding(served, key);
    if (target !== undefined) this.#add(served.kind.resource, { key, target, isByOwner });
    await this.#rest();
  }

  #add(resource: string, found: Found): void {
    const id = [resource, found.key.namespace, found.key.name].join('|');
    const known = this.#found.get(id);
    if (known === undefined && this.#found.size >= maxFound) this.#isIncomplete = true;
    else if (known === undefined || known.isByOwner) this.#found.set(id, found);
  }

  /** Undefined for what is not there, or not meant. */
  #readSome(ids: readonly string[]): Promise<readonly (Shown | undefined)[]> {
    return Promise.all(ids.map(id => this.#read(this.#found.get(id) as Found)));
  }

  async #read({ key, target, isByOwner }: Found): Promise<Shown | undefined> {
    const read = await unlessDamaged(this.#call.calls.readEntry(target, key).then(served => ({ served })));
    if (read === undefined) this.#isIncomplete = true;
    const served = read?.served;
    if (served === undefined) return undefined;
    const { metadata, ...object } = served.object;
    if (isByOwner && !metadata.ownerReferences?.some(({ uid }) => this.#owners.has(uid))) return undefined;
    const { managedFields: _, ...rest } = metadata;
    const { apiVersion } = target.resource.version;
    return {
      object: { ...object, apiVersion, kind: target.resource.kind.kind, metadata: rest },
      bytes: served.bytes.length,
    };
  }

  async #rest(): Promise<void> {
    if (this.#pace.isDue) await this.#pace.rest();
  }
}

/** An object of a page, and the size of what was read for it. */
interface Shown {
  readonly object: KubeObject;
  readonly bytes: number;
}

const nameOfKind = ({ group, kind }: { readonly group: string; readonly kind: string }): string => `${group}/${kind}`;
