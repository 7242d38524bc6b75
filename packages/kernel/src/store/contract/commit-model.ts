import { type Check, type Commit, type Delete, type Expectation, formatKey, type Put } from '../store.ts';

/** How a commit ends, in the words of its error; nothing when it is done. */
export interface Refusal {
  readonly code: string;
  readonly name: string;
  readonly kind?: string;
}

interface ModelObject {
  /** Undefined until the store has said which. */
  revision: number | undefined;
  readonly text: string;
  readonly unique: readonly string[];
}

/** The meaning of commits, as plainly as it can be said: one after the other, first all that must hold, then all that is done. */
export class CommitModel {
  readonly objects = new Map<string, ModelObject>();

  commit({ writes, checks = [] }: Commit): Refusal | undefined {
    const refusal =
      firstOf([...writes, ...checks], expected => this.#unexpected(expected)) ??
      firstOf(writes, write => firstOf(uniqueOf(write), text => this.#heldElsewhere(text, writes)));
    if (refusal === undefined) for (const write of writes) this.#apply(write);
    return refusal;
  }

  /** Takes note of the revisions that a commit was given. */
  remember({ writes }: Commit, revisions: readonly number[]): void {
    for (const [index, { key }] of writes.entries()) {
      const object = this.objects.get(formatKey(key));
      if (object !== undefined) object.revision = Math.max(object.revision ?? 0, revisions[index] ?? 0);
    }
  }

  #unexpected(expected: Put | Delete | Check): Refusal | undefined {
    const name = formatKey(expected.key);
    const kind = failureOf(expectationOf(expected), this.objects.get(name));
    return kind === undefined ? undefined : { code: 'PreconditionFailed', name, kind };
  }

  #heldElsewhere(text: string, writes: Commit['writes']): Refusal | undefined {
    const written = new Set(writes.map(({ key }) => formatKey(key)));
    const isHeld = [...this.objects].some(([name, { unique }]) => unique.includes(text) && !written.has(name));
    return isHeld ? { code: 'UniqueViolation', name: text } : undefined;
  }

  #apply(write: Put | Delete): void {
    const name = formatKey(write.key);
    const text = Buffer.from(write.value.bytes).toString();
    if (write.type === 'delete') this.objects.delete(name);
    else this.objects.set(name, { revision: undefined, text, unique: uniqueOf(write) });
  }
}

const uniqueOf = (write: Put | Delete): readonly string[] => (write.type === 'put' ? (write.unique ?? []) : []);

const expectationOf = (expected: Put | Delete | Check): Expectation =>
  'type' in expected && expected.type === 'delete' && expected.expect.type === 'any'
    ? { type: 'present' }
    : expected.expect;

function failureOf(expect: Expectation, object: ModelObject | undefined): string | undefined {
  if (expect.type === 'any') return undefined;
  if (expect.type === 'absent') return object && 'exists';
  if (object === undefined) return 'missing';
  return expect.type === 'present' || expect.revision === object.revision ? undefined : 'revision';
}

function firstOf<T, R>(items: readonly T[], look: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = look(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
