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
import { type Call, inTurn } from '../call.ts';
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
  return inTurn(call, async () => {
    const found = new FoundObjects(call, lookup.after);
    await found.addDependants(lookup.owners);
    await found.addNamed(lookup.objects);
    await found.addChosen(lookup);
    return found.page();
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
  readonly served: Served;
  readonly target: Target;
}

const byId = ([one]: readonly [string, Found], [other]: readonly [string, Found]): number => (one < other ? -1 : 1);

/** What was found by any of the indexes, each object once. All ids are known, but only the objects of the page are held. */
class FoundObjects {
  readonly #call: Call;
  readonly #after: string;
  readonly #targets: TargetsByPlace;
  readonly #ids = new Set<string>();
  readonly #page = new Map<string, Found>();
  #bytes = 0;
  /** The last id of the page, once there are more than it has room for. */
  #last: string | undefined;
  readonly #pace = new Pace();
  #isIncomplete = false;

  /** `after`: the id after which the page begins. */
  constructor(call: Call, after: string) {
    this.#call = call;
    this.#after = after;
    this.#targets = new TargetsByPlace(call);
  }

  async addDependants(uids: readonly string[]): Promise<void> {
    for (let start = 0; start < uids.length; start += ownersAtATime)
      await Promise.all(uids.slice(start, start + ownersAtATime).map(uid => this.#addDependantsOf(uid)));
  }

  async #addDependantsOf(uid: string): Promise<void> {
    const { kernel, home } = this.#call;
    for await (const stored of kernel.dependants(home, uid, maxFound)) {
      await this.#offer(stored);
      if (this.#isIncomplete) return;
    }
    await this.#rest();
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

  /** The objects of the page, in the order of their ids, and where the next page begins. */
  async page(): Promise<object> {
    this.#cut();
    const items: KubeObject[] = [];
    for (const [, { served, target }] of [...this.#page].sort(byId)) {
      const { metadata, ...object } = served.object;
      const { managedFields: _, ...rest } = metadata;
      const { apiVersion } = target.resource.version;
      items.push({ ...object, apiVersion, kind: target.resource.kind.kind, metadata: rest });
      await this.#rest();
    }
    return {
      items,
      ...(this.#last === undefined ? {} : { continue: Buffer.from(this.#last).toString('base64url') }),
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
      // What finds nothing takes its time, too.
      await this.#rest();
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
    const id = [resource, namespace, name].join('|');
    if (this.#ids.has(id)) return;
    if (this.#ids.size >= maxFound) {
      this.#isIncomplete = true;
      return;
    }
    this.#ids.add(id);
    if (id <= this.#after || (this.#last !== undefined && id > this.#last)) return;
    this.#page.set(id, found);
    this.#bytes += found.served.bytes.length;
    if (this.#bytes > 2 * maxBytes || this.#page.size > 2 * maxItems) this.#cut();
  }

  /** Gives up what is not of the page: it is found again by the request for the next one. */
  #cut(): void {
    let count = 0;
    let bytes = 0;
    let last: string | undefined;
    for (const [id, { served }] of [...this.#page].sort(byId)) {
      if (count >= maxItems || bytes >= maxBytes) {
        this.#page.delete(id);
        this.#last = last;
        continue;
      }
      count += 1;
      bytes += served.bytes.length;
      last = id;
    }
    this.#bytes = bytes;
  }

  async #rest(): Promise<void> {
    if (this.#pace.isDue) await this.#pace.rest();
  }
}
