import type { DnsRecord } from '../../ports.ts';
import { canonicalName, type DnsRecordSet, isContradicted, isInZone, recordSets } from './dns-records.ts';

/** What a zone says of a name. */
export type ZoneAnswer =
  | { readonly kind: 'found'; readonly sets: readonly DnsRecordSet[] }
  /** The name exists, without records of the type. The sets are the aliases that led to it. */
  | { readonly kind: 'no-data'; readonly sets: readonly DnsRecordSet[] }
  | { readonly kind: 'no-name'; readonly sets: readonly DnsRecordSet[] };

const maxAliases = 8;

/** The records of one zone in memory. Names below which there are records exist too (RFC 8020). */
export class ZoneTable {
  readonly domain: string;
  readonly #names = new Map<string, Map<string, DnsRecordSet>>();
  /** How many names with records are below a name. */
  readonly #below = new Map<string, number>();
  #serial = 1;

  constructor(domain: string) {
    this.domain = canonicalName(domain);
  }

  /** Grows with each change. */
  get serial(): number {
    return this.#serial;
  }

  /** Replaces the whole content. */
  load(records: readonly DnsRecord[]): void {
    const sets = recordSets(records, this.domain);
    this.#names.clear();
    this.#below.clear();
    for (const set of sets) this.#put(set);
    this.#serial += 1;
  }

  upsert(records: readonly DnsRecord[]): void {
    for (const set of recordSets(records, this.domain)) {
      for (const stored of [...(this.#names.get(set.name)?.values() ?? [])])
        if (isContradicted(stored.type, set.type)) this.#delete(stored);
      this.#put(set);
    }
    this.#serial += 1;
  }

  remove(records: readonly DnsRecord[]): void {
    for (const set of recordSets(records, this.domain)) this.#delete(set);
    this.#serial += 1;
  }

  /** Looks up a canonical name of the zone, following aliases within it. */
  find(name: string, type: string): ZoneAnswer {
    const sets: DnsRecordSet[] = [];
    let current = name;
    for (let aliases = 0; aliases <= maxAliases; aliases += 1) {
      const stored = this.#setsOf(current);
      if (stored === undefined) return { kind: this.#exists(current) ? 'no-data' : 'no-name', sets };
      const matching = stored.filter(set => type === 'ANY' || set.type === type);
      if (matching.length > 0) return { kind: 'found', sets: [...sets, ...matching] };
      const alias = stored.find(set => set.type === 'CNAME');
      if (alias === undefined) return { kind: 'no-data', sets };
      sets.push(alias);
      current = alias.values[0] ?? '';
      if (!isInZone(current, this.domain)) break;
    }
    return { kind: 'found', sets };
  }

  /** The sets of a name, or those of the wildcard that covers it (RFC 4592), under the name asked for. */
  #setsOf(name: string): readonly DnsRecordSet[] | undefined {
    const own = this.#names.get(name);
    if (own !== undefined) return [...own.values()];
    if (this.#exists(name)) return undefined;
    let encloser = parentOf(name);
    while (encloser !== this.domain && !this.#exists(encloser)) encloser = parentOf(encloser);
    const wildcard = this.#names.get(`*.${encloser}`);
    return wildcard === undefined ? undefined : [...wildcard.values()].map(set => ({ ...set, name }));
  }

  #exists(name: string): boolean {
    return name === this.domain || this.#names.has(name) || this.#below.has(name);
  }

  #put(set: DnsRecordSet): void {
    const sets = this.#names.get(set.name);
    if (sets !== undefined) return void sets.set(set.type, set);
    this.#names.set(set.name, new Map([[set.type, set]]));
    this.#countAncestors(set.name, 1);
  }

  #delete({ name, type }: DnsRecordSet): void {
    const sets = this.#names.get(name);
    if (sets === undefined || !sets.delete(type) || sets.size > 0) return;
    this.#names.delete(name);
    this.#countAncestors(name, -1);
  }

  #countAncestors(name: string, change: 1 | -1): void {
    for (let at = name; at !== this.domain; ) {
      at = parentOf(at);
      const count = (this.#below.get(at) ?? 0) + change;
      if (count === 0) this.#below.delete(at);
      else this.#below.set(at, count);
    }
  }
}

const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1);
