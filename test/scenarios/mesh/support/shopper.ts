import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, type RunningProcess, startProcess, tempFolder } from '@chandlery/testing';
import type { CatalogAnswer } from './catalog-service.ts';
import type { MeshEnvironment } from './join-mesh.ts';

/** The result of a call. Times are wall clock times. */
export interface ShopperCall extends Partial<CatalogAnswer> {
  readonly begun: number;
  readonly ended: number;
  /** gRPC status code; 0 for a successful call. */
  readonly code: number;
  readonly why?: string;
}

export interface ShopperOptions {
  readonly environment: Omit<MeshEnvironment, 'MESH_ACCOUNT_FOLDER'>;
  /** `xds:///…`. */
  readonly target: string;
  /** The authority of the requests. */
  readonly authority: string;
  /** The files of a pod of its account. */
  readonly account: { readonly token: string; readonly ca: string; readonly namespace: string };
}

const patience = { timeoutMs: 30_000, pauseMs: 20 };

/** A process that calls continuously, from its start to its end. */
export class Shopper implements AsyncDisposable {
  readonly #process: RunningProcess;
  readonly #stack: AsyncDisposableStack;
  readonly #calls: ShopperCall[] = [];
  #readTo = 0;

  constructor(process: RunningProcess, stack: AsyncDisposableStack) {
    this.#process = process;
    this.#stack = stack;
  }

  /** The number of ended calls, as a mark for {@link since}. */
  mark(): number {
    return this.#read().length;
  }

  /** The calls that have ended after a mark. */
  since(mark: number): readonly ShopperCall[] {
    return this.#read().slice(mark);
  }

  /** The latest response of a backend. */
  lastAnswer(): CatalogAnswer {
    const {
      pod = '',
      cluster = '',
      pid,
      port = 0,
      caller = '',
    } = this.since(0).findLast(({ code }) => code === 0) ?? {};
    // A process id of 0 would address the whole group.
    if (pid === undefined || pid <= 0) throw new Error('no call has been answered yet');
    return { pod, cluster, pid, port, caller };
  }

  /** Waits until the calls after a mark match, and returns them. */
  async until(
    mark: number,
    isWanted: (calls: readonly ShopperCall[]) => boolean,
    what: string,
  ): Promise<readonly ShopperCall[]> {
    try {
      return await eventually(() => isWanted(this.since(mark)) && this.since(mark), { ...patience, what });
    } catch (cause) {
      throw new Error(`${String(cause)}; ${summary(this.since(mark))}; ${this.#process.stderr().slice(-2000)}`, {
        cause,
      });
    }
  }

  /** Waits for some more calls to end. */
  async more(count: number): Promise<readonly ShopperCall[]> {
    return this.until(this.mark(), calls => calls.length >= count, `${count} more calls`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  #read(): readonly ShopperCall[] {
    const text = this.#process.stdout();
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(this.#readTo, end).split('\n')) {
      if (line !== '') this.#calls.push(JSON.parse(line) as ShopperCall);
    }
    this.#readTo = Math.max(this.#readTo, end);
    return this.#calls;
  }
}

/** Number of calls by result, for display. */
export function summary(calls: readonly ShopperCall[]): string {
  const byOutcome = Map.groupBy(calls, ({ code, why, pod }) => (code === 0 ? `by ${pod}` : `with ${code} ${why}`));
  return [...byOutcome].map(([outcome, group]) => `${group.length} ${outcome}`).join(', ') || 'no calls';
}

export async function startShopper({ environment, target, authority, account }: ShopperOptions): Promise<Shopper> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder('chandlery-shopper-'));
  const files = { token: account.token, 'ca.crt': account.ca, namespace: account.namespace };
  for (const [name, text] of Object.entries(files)) await writeFile(folder.join(name), text, { mode: 0o600 });
  const env = {
    ...environment,
    MESH_ACCOUNT_FOLDER: folder.path,
    SHOPPER_FOLDER: folder.join('certificates'),
    SHOPPER_TARGET: target,
    SHOPPER_AUTHORITY: authority,
  };
  const program = join(import.meta.dirname, 'shopper-worker.ts');
  const process_ = stack.use(
    await startProcess(process.execPath, [program], { env, ready: /"code":/, readyTimeoutMs: 60_000 }),
  );
  return new Shopper(process_, stack.move());
}
