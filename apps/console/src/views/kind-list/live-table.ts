import { useEffect, useState } from 'react';
import { follow } from '../../api/follow.ts';
import { collectionPath, type ServedKind } from '../../api/kinds.ts';
import { type ListSelection, readTable, type ServerTable, type TableRow, tableHeaders } from '../../api/table.ts';
import type { WatchEvent } from '../../api/watch.ts';

/** A page of a list that follows the changes of its objects. */
export interface LiveTable {
  readonly table?: ServerTable;
  readonly error?: unknown;
}

type TableEvent = WatchEvent<{ readonly rows?: readonly TableRow[] }>;

const minReloadMs = 1000;
/** A page is read again at most for this share of the time, however long reading it takes. */
const reloadShare = 0.1;

/**
 * Reads a page and watches its collection. Objects of the page change in place; what is created, deleted or moves to
 * another page makes the page be read again.
 */
export function useLiveTable(cluster: string, kind: ServedKind, selection: ListSelection): LiveTable {
  const [state, setState] = useState<LiveTable>({});
  const key = JSON.stringify([cluster, kind.group, kind.plural, selection]);
  useEffect(() => {
    const stop = new AbortController();
    const page = new LivePage({ cluster, kind, selection, signal: stop.signal, onChange: setState });
    void page.run();
    return () => stop.abort();
  }, [key]);
  return state;
}

interface LivePageOptions {
  readonly cluster: string;
  readonly kind: ServedKind;
  readonly selection: ListSelection;
  readonly signal: AbortSignal;
  readonly onChange: (state: LiveTable) => void;
}

class LivePage {
  readonly #options: LivePageOptions;
  #table: ServerTable | undefined;
  #reloadTimer: ReturnType<typeof setTimeout> | undefined;
  #readMs = 0;

  constructor(options: LivePageOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => clearTimeout(this.#reloadTimer));
  }

  async run(): Promise<void> {
    const { cluster, kind, selection, signal, onChange } = this.#options;
    const { namespace, labelSelector, fieldSelector } = selection;
    const isWatchable = kind.verbs.includes('watch');
    const fail = (error: unknown): void => onChange({ ...(this.#table && { table: this.#table }), error });
    if (!isWatchable) return void (await this.#read().catch(fail));
    await follow({
      path: collectionPath(cluster, kind, namespace),
      query: { labelSelector, fieldSelector, includeObject: 'Object' },
      headers: tableHeaders,
      signal,
      load: () => this.#read(),
      onEvents: events => this.#take(events as readonly TableEvent[]),
      onFailure: fail,
    });
  }

  /** Reads the page and returns the revision that it shows. */
  async #read(): Promise<string> {
    const { cluster, kind, selection, signal } = this.#options;
    const start = performance.now();
    const table = await readTable(cluster, kind, selection, signal);
    this.#readMs = performance.now() - start;
    this.#show(table);
    // The server is counting; until then it answers at once.
    if (table.metadata.isIncomplete && table.metadata.stateCounts === undefined) this.#reloadIn(minReloadMs);
    return table.metadata.resourceVersion ?? '';
  }

  #show(table: ServerTable): void {
    this.#table = table;
    if (!this.#options.signal.aborted) this.#options.onChange({ table });
  }

  #take(events: readonly TableEvent[]): void {
    const table = this.#table;
    if (table === undefined) return;
    const changed = new Map<string, TableRow>();
    let isMoved = false;
    for (const { type, object } of events) {
      const [row] = object.rows ?? [];
      if (row === undefined) continue;
      const uid = row.object.metadata.uid ?? '';
      const isShown = table.rows.some(({ object: { metadata } }) => metadata.uid === uid);
      if (isShown && type === 'MODIFIED') changed.set(uid, row);
      isMoved ||= !isShown || type !== 'MODIFIED' || this.#mayMove();
    }
    const rows = table.rows.map(row => changed.get(row.object.metadata.uid ?? '') ?? row);
    if (changed.size > 0) this.#show({ ...table, rows });
    if (isMoved) this.#reloadSoon();
  }

  /** Whether a change of an object can move it in the order, or change counts. */
  #mayMove(): boolean {
    const { state, sortBy, search } = this.#options.selection;
    return state !== '' || sortBy !== '' || search !== '' || this.#table?.metadata.stateCounts !== undefined;
  }

  #reloadSoon(): void {
    this.#reloadIn(Math.max(minReloadMs, this.#readMs / reloadShare));
  }

  #reloadIn(waitMs: number): void {
    this.#reloadTimer ??= setTimeout(() => {
      this.#reloadTimer = undefined;
      // The watch notices when the landscape cannot be reached, and the next change reads the page again.
      this.#read().catch(() => {});
    }, waitMs);
  }
}
