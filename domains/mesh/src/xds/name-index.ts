import { hash } from 'node:crypto';

/**
 * The names that subscribers of one type have asked for. Subscribers that asked for the same share one set, so that a
 * thousand proxies with a thousand names each do not cost a million entries.
 */
export interface NameSet<Member> {
  /** Another one after each change: equal ids mean equal names. */
  readonly id: number;
  readonly names: ReadonlySet<string>;
  readonly members: ReadonlySet<Member>;
}

interface OwnedSet<Member> extends NameSet<Member> {
  id: number;
  readonly names: Set<string>;
  readonly members: Set<Member>;
  /** Under which others can find it. Undefined while it may still change. */
  sharedAs: string | undefined;
}

/** Sets that are larger are not worth the time to look for an equal one. */
const maxSharedNames = 10_000;
const noNames: ReadonlySet<string> = new Set();

/** Finds the subscribers of a name in the time that it takes to tell them. */
export class NameIndex<Member> {
  /** Most names are in one set only; a `Set` of it would take more memory than the name and its entry together. */
  readonly #byName = new Map<string, OwnedSet<Member> | Set<OwnedSet<Member>>>();
  readonly #shared = new Map<string, OwnedSet<Member>>();
  #lastId = 0;
  #subscriptions = 0;

  /** Different names that somebody has asked for. */
  get nameCount(): number {
    return this.#byName.size;
  }

  /** Names of all sets together; a set counts once, however many share it. */
  get subscriptionCount(): number {
    return this.#subscriptions;
  }

  /** Subscribes to more names and fewer, and returns the member's set from now on; undefined for no names. */
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

  /** To be called when a subscription seems to have settled: members with equal names are brought together. */
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

  /** Which of the names each set has; sets without any are left out. */
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

  /** A set that only this member has, and that nobody else will be given. */
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

  /** Many come at the same time and ask for the same: they are brought together from the start. */
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
