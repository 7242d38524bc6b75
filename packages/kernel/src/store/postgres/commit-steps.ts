import { normaliseTerms } from '../commit-rules.ts';
import { encodeDeleteExpectation, encodeExpectation, expectationCodes } from '../expectation.ts';
import { headSum, objectContentSum, versionContentSum } from '../row-checksum.ts';
import type { Commit, Delete, ObjectKey, Put } from '../store.ts';
import { numbersLiteral, textsLiteral } from './array-literals.ts';
import { objectDetails } from './object-details.ts';

/** The numbers of a step's kind, as the commit function knows them. */
const stepKinds = { checkWritten: 0, put: 1, delete: 2, unique: 3, check: 4 } as const;

interface Step {
  readonly kind: number;
  readonly key: ObjectKey;
  readonly expect: number;
  readonly write?: Put | Delete;
}

/** Where a step came from, for error messages. */
export type StepOrigin = Pick<Step, 'key'>;

/** The steps as the commit function takes them, column by column, and the origin of each (they count from 1). */
export interface CommitSteps {
  readonly columns: readonly unknown[];
  readonly origins: readonly StepOrigin[];
}

/** Spells a group of commits out as steps: for each commit, all that must hold before all that is done. */
export function commitSteps(commits: readonly Commit[]): CommitSteps {
  const columns = new StepColumns();
  const origins = commits.flatMap((commit, index) => {
    const steps = stepsOf(commit);
    for (const step of steps) columns.add(index, step);
    return steps;
  });
  return { columns: columns.parameters(), origins };
}

function stepsOf({ writes, checks = [] }: Commit): Step[] {
  const [only] = writes;
  // Most commits: checking and doing in one step is the same, and half the work.
  if (writes.length === 1 && checks.length === 0 && only !== undefined && claimsOf(only).length === 0) {
    return [writeStep(only, expectOf(only))];
  }
  return [
    ...writes.map(write => ({ kind: stepKinds.checkWritten, key: write.key, expect: expectOf(write) })),
    ...checks.map(({ key, expect }) => ({ kind: stepKinds.check, key, expect: encodeExpectation(expect) })),
    ...writes.flatMap(write =>
      claimsOf(write).map(text => ({ kind: stepKinds.unique, key: { ...write.key, name: text }, expect: 0 })),
    ),
    ...writes.map(write => writeStep(write, expectationCodes.any)),
  ];
}

const claimsOf = (write: Put | Delete): readonly string[] => (write.type === 'put' ? [...new Set(write.unique)] : []);

const expectOf = ({ type, expect }: Put | Delete): number =>
  type === 'put' ? encodeExpectation(expect) : encodeDeleteExpectation(expect);

const writeStep = (write: Put | Delete, expect: number): Step => ({
  kind: stepKinds[write.type],
  key: write.key,
  expect,
  write,
});

/** One array for each column of the steps. All values travel as one binary parameter, cut up by the function. */
class StepColumns {
  readonly #collectionNos = new Map<string, number>();
  readonly #clusters: string[] = [];
  readonly #resources: string[] = [];
  readonly #rows: (readonly unknown[])[] = [];
  readonly #values: Uint8Array[] = [];
  readonly #versionSums: number[] = [];
  readonly #objectSums: number[] = [];
  #size = 0;

  add(commitNo: number, { kind, key, expect, write }: Step): void {
    const put = write?.type === 'put' ? write : undefined;
    const bytes = write?.value.bytes;
    const terms = put && numbersLiteral(normaliseTerms(put.terms));
    const unique = put?.unique && textsLiteral(put.unique);
    const place = [write?.value.splice ?? 0, this.#size + 1, bytes?.length ?? 0];
    const where = [this.#collectionNo(key), key.namespace, key.name];
    this.#rows.push([
      commitNo,
      kind,
      ...where,
      expect,
      ...place,
      put?.expiresAt ?? null,
      terms ?? null,
      unique ?? null,
    ]);
    const head = headSum(key, terms ?? '');
    this.#versionSums.push(write ? versionContentSum(head, write.value.splice, write.value.bytes) : 0);
    this.#objectSums.push(put ? objectContentSum(head, objectDetails(put)) : 0);
    if (bytes === undefined) return;
    this.#values.push(bytes);
    this.#size += bytes.length;
  }

  parameters(): unknown[] {
    const width = this.#rows[0]?.length ?? columnCount;
    const columns = Array.from({ length: width }, (_, column) => this.#rows.map(row => row[column]));
    const values = Buffer.concat(this.#values, this.#size);
    return [this.#clusters, this.#resources, ...columns, values, this.#versionSums, this.#objectSums];
  }

  #collectionNo({ cluster, resource }: ObjectKey): number {
    const name = `${cluster}|${resource}`;
    const known = this.#collectionNos.get(name);
    if (known !== undefined) return known;
    this.#clusters.push(cluster);
    this.#resources.push(resource);
    this.#collectionNos.set(name, this.#clusters.length);
    return this.#clusters.length;
  }
}

const columnCount = 12;
