import { hash } from 'node:crypto';

/**
 * The subscribed names of one type. Subscribers with equal names share one set, so that a thousand proxies with a
 * thousand names each do not need a million entries.
 */
export interface NameSet<Member> {
  /** Changes with each modification: equal ids mean equal names. */
  readonly id: number;
  readonly names: ReadonlySet<string>;
  readonly members: ReadonlySet<Member>;
}

interface OwnedSet<Member> extends NameSet<Member> {
  id: number;
  readonly names: Set<string>;
  readonly members: Set<Member>;
  /** Key of a shared set. Undefined while the set may change. */
  sharedAs: string | undefined;
}

/** Larger sets are not compared with others. */
const maxSharedNames = 10_000;
const noNames: ReadonlySet<string> = new Set();

/** Index of the subscribers by name. A lookup costs as much as notifying them. */
export class NameIndex<Member> {
  /** Most names are in one set; a `Set` with one element would need more memory than the name and its entry. */
  readonly #byName = new Map<string, OwnedSet<Member> | Set<OwnedSet<Member>>>();
  readonly #shared = new Map<string, OwnedSet<Member>>();
  #lastId = 0;
  #subscriptions = 0;

  /** Number of distinct subscribed names. */
  get nameCount(): number {
    return this.#byName.size;
  }

  /** Sum of the sizes of all sets; a shared set counts once. */
  get subscriptionCount(): number {
    return this.#subscriptions;
  }

  /** Adds and removes names, and returns the new set of the member; undefined without names. */
  change(
    member: Member,
    current: NameSet<Member> | undefined,
    { add = noNames, remove = noNames }: { readonly add?: ReadonlySet<string>; readonly remove?: ReadonlySet<string> },
  ): NameSet<Member> | undefined {
    if (current === undefined) return this.#join(member, remove.size === 0 ? add : add.difference(remove));
    const set = this.#ownSet(member, current);
    for (const name of add) this.#addName(set, name);
    for (const name of remove) this.#removeName(set, name);
    set.id = ++this.#lastId;
    return set.names.size === 0 ? undefined : set;
  }

  /** To be called when a subscription has settled: members with equal names then share a set. */
  share(member: Member, current: NameSet<Member>): NameSet<Member> {
    const set = current as OwnedSet<Member>;
    if (set.sharedAs !== undefined || set.names.size > maxSharedNames) return set;
    const key = keyOf(set.names);
    const equal = this.#shared.get(key);
    if (equal === undefined) {
      set.sharedAs = key;
      this.#shared.set(key, set);
      return set;
    }
    this.leave(member, set);
    equal.members.add(member);
    return equal;
  }

  leave(member: Member, current: NameSet<Member>): void {
    const set = current as OwnedSet<Member>;
    set.members.delete(member);
    if (set.members.size > 0) return;
    this.#unshare(set);
    for (const name of set.names) this.#forget(set, name);
  }

  /** Returns the affected names of each set; unaffected sets are left out. */
  affected(changed: ReadonlySet<string>): ReadonlyMap<NameSet<Member>, ReadonlySet<string>> {
    const affected = new Map<OwnedSet<Member>, Set<string>>();
    for (const name of changed) {
      const single = new Set([name]);
      for (const set of this.#setsWith(name)) {
        const known = affected.get(set);
        if (known === undefined) affected.set(set, single);
        else if (known.size === 1) affected.set(set, new Set(known).add(name));
        else known.add(name);
      }
    }
    return affected;
  }

  /** Returns an unshared set of this member. */
  #ownSet(member: Member, current: NameSet<Member>): OwnedSet<Member> {
    const set = current as OwnedSet<Member>;
    if (set.members.size === 1) {
      this.#unshare(set);
      return set;
    }
    const own = this.#makeSet(member, set.names);
    this.leave(member, set);
    return own;
  }

  /** Shares a set from the start, because many proxies connect at the same time with equal names. */
  #join(member: Member, names: ReadonlySet<string>): NameSet<Member> | undefined {
    if (names.size === 0) return undefined;
    if (names.size > maxSharedNames) return this.#makeSet(member, names);
    const key = keyOf(names);
    const equal = this.#shared.get(key);
    if (equal !== undefined) {
      equal.members.add(member);
      return equal;
    }
    const set = this.#makeSet(member, names);
    set.sharedAs = key;
    this.#shared.set(key, set);
    return set;
  }

  #makeSet(member: Member, names: ReadonlySet<string>): OwnedSet<Member> {
    const set = { id: ++this.#lastId, names: new Set<string>(), members: new Set([member]), sharedAs: undefined };
    for (const name of names) this.#addName(set, name);
    return set;
  }

  #addName(set: OwnedSet<Member>, name: string): void {
    if (set.names.has(name)) return;
    set.names.add(name);
    this.#subscriptions++;
    const others = this.#byName.get(name);
    if (others === undefined) this.#byName.set(name, set);
    else if (others instanceof Set) others.add(set);
    else this.#byName.set(name, new Set([others, set]));
  }

  #removeName(set: OwnedSet<Member>, name: string): void {
    if (set.names.delete(name)) this.#forget(set, name);
  }

  #forget(set: OwnedSet<Member>, name: string): void {
    this.#subscriptions--;
    const sets = this.#byName.get(name);
    if (sets instanceof Set) sets.delete(set);
    if (sets === set || (sets instanceof Set && sets.size === 0)) this.#byName.delete(name);
  }

  #setsWith(name: string): Iterable<OwnedSet<Member>> {
    const sets = this.#byName.get(name);
    return sets === undefined ? [] : sets instanceof Set ? sets : [sets];
  }

  #unshare(set: OwnedSet<Member>): void {
    if (set.sharedAs === undefined) return;
    this.#shared.delete(set.sharedAs);
    set.sharedAs = undefined;
  }
}

const keyOf = (names: ReadonlySet<string>): string => hash('sha256', [...names].sort().join('\n'));
