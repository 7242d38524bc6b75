import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import {
  eventually,
  kubectl,
  type ProcessResult,
  type RunningProcess,
  startKubectl,
  type TestLandscape,
} from '@chandlery/testing';

/** A user with a kubeconfig and the real kubectl. */
export interface Person {
  /** Runs kubectl and answers what it prints; fails when kubectl does. */
  run(...args: readonly string[]): Promise<string>;
  /** Runs kubectl and answers everything, also when it fails. */
  attempt(...args: readonly string[]): Promise<ProcessResult>;
  apply(manifest: object | string): Promise<string>;
  /** Applies on the server as a field manager, and takes the fields of others. */
  applyAs(manager: string, manifest: object): Promise<string>;
  /** An object, or undefined when it is not there. */
  find<T = LooseObject>(kind: string, name: string, namespace?: string): Promise<T | undefined>;
  list<T = LooseObject>(kind: string, ...args: readonly string[]): Promise<readonly T[]>;
  /** Starts a kubectl that prints an object each time it changes, as a watch event in JSON. */
  follow(kind: string, name: string, namespace?: string): Promise<RunningProcess>;
}

export interface LooseCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** An object as kubectl prints it. */
export interface LooseObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly LooseCondition[];
    readonly observedGeneration?: number;
    readonly resources?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  } & Readonly<Record<string, unknown>>;
}

const within = (namespace: string | undefined): readonly string[] => (namespace === undefined ? [] : ['-n', namespace]);

/** A user of a context of a kubeconfig. */
export function personWith(kubeconfig: string, context?: string): Person {
  const options = { kubeconfig, timeoutMs: 60_000, ...(context === undefined ? {} : { context }) };
  const attempt = (...args: readonly string[]): Promise<ProcessResult> => kubectl(args, options);
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await attempt(...args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const apply = async (stdin: string, ...flags: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl(['apply', '-f', '-', ...flags], { ...options, stdin });
    assert.equal(code, 0, `kubectl apply: ${stderr}`);
    return stdout;
  };
  return {
    run,
    attempt,
    apply: manifest => apply(typeof manifest === 'string' ? manifest : JSON.stringify(manifest)),
    applyAs: (manager, manifest) =>
      apply(JSON.stringify(manifest), '--server-side', '--force-conflicts', `--field-manager=${manager}`),
    find: async <T>(kind: string, name: string, namespace?: string) => {
      const text = await run('get', kind, name, ...within(namespace), '--ignore-not-found', '-o', 'json');
      return text.trim() === '' ? undefined : (JSON.parse(text) as T);
    },
    list: async <T>(kind: string, ...args: readonly string[]) =>
      (JSON.parse(await run('get', kind, ...args, '-o', 'json')) as { items: T[] }).items,
    follow: (kind, name, namespace) => {
      const which = [kind, ...within(namespace), `--field-selector=metadata.name=${name}`];
      return startKubectl(['get', ...which, '--watch', '--output-watch-events', '-o', 'json'], options);
    },
  };
}

/** The operator on the platform cluster, and a tenant on the onboarding cluster. */
export const peopleOf = ({ kubeconfig }: TestLandscape): { operator: Person; tenant: Person } => ({
  operator: personWith(kubeconfig, 'platform'),
  tenant: personWith(kubeconfig, 'onboarding'),
});

export const conditionOf = (object: LooseObject | undefined, type: string): LooseCondition | undefined =>
  object?.status?.conditions?.find(condition => condition.type === type);

export const isTrue = (object: LooseObject | undefined, type: string): boolean =>
  conditionOf(object, type)?.status === 'True';

/** The reference's time limits are for a quiet machine; this is for one that does other things too. */
const patience = { timeoutMs: 120_000, pauseMs: 100 };

/** How long one kubectl follows or waits before another one is started. */
const turnMs = 20_000;

type Place = readonly [kind: string, name: string, namespace?: string];

/** Waits until an object is as wanted, and answers it. Looks once, then lets one kubectl follow it: polls cost more. */
export async function seen(
  person: Person,
  place: Place,
  isWanted: (object: LooseObject) => boolean,
): Promise<LooseObject> {
  const [kind, name] = place;
  let last: LooseObject | undefined;
  const isSeen = (object: LooseObject | undefined): boolean => {
    last = object;
    try {
      return object !== undefined && isWanted(object);
    } catch {
      // It is not yet of the shape that was asked about.
      return false;
    }
  };
  try {
    return await eventually(
      async () => {
        if (isSeen(await person.find(...place))) return last;
        await using following = await person.follow(...place);
        await following.waitForOutput(() => isSeen(lastObject(following.stdout())), turnMs);
        return last;
      },
      { ...patience, what: `${kind} ${name}` },
    );
  } catch (error) {
    const shown = JSON.stringify(last?.status ?? last?.metadata ?? 'nothing', undefined, 1);
    throw new Error(`${(error as Error).message}; it is ${shown}`, { cause: error });
  }
}

/** A whole event: in one line, as most versions of kubectl print it, or indented. */
const wholeEvent = /^(?:\{.*|\{[^]*\n)\}\n$/;

/** The newest state in what a kubectl that follows has printed; undefined when that is a deletion, or none at all. */
function lastObject(printed: string): LooseObject | undefined {
  const event = printed.split(/^(?=\{)/m).findLast(text => wholeEvent.test(text));
  if (event === undefined) return undefined;
  const { type, object } = JSON.parse(event) as { readonly type: string; readonly object: LooseObject };
  return type === 'DELETED' ? undefined : object;
}

/** Waits until an object is deleted. */
export async function gone(person: Person, place: Place): Promise<void> {
  const [kind, name, namespace] = place;
  await eventually(
    async () => {
      if ((await person.find(...place)) === undefined) return true;
      await person.attempt('wait', kind, name, ...within(namespace), '--for=delete', `--timeout=${turnMs / 1000}s`);
      return (await person.find(...place)) === undefined;
    },
    { ...patience, what: `${kind} ${name} to go` },
  );
}

/** A person with the kubeconfig in a Secret that another person can read. */
export async function personFromSecret(
  reader: Person,
  { name, namespace, file }: { readonly name: string; readonly namespace: string; readonly file: string },
): Promise<Person> {
  const secret = await reader.find('secret', name, namespace);
  await writeFile(file, Buffer.from(secret?.data?.['kubeconfig'] ?? '', 'base64'), { mode: 0o600 });
  return personWith(file);
}
