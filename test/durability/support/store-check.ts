import assert from 'node:assert/strict';
import { type Change, openStore, type Store, type StoreOptions } from '@chandlery/kernel';
import { isRemoved, markerName, objectNames, resource, stepOfBytes } from './store-chains.ts';

/** What is known for certain: by chain, the last step that was acknowledged or found; and the highest revision. */
export interface Acknowledged {
  readonly steps: Map<number, number>;
  highest: number;
}

/** Adds what a process has said to what was known before. */
export function readAcknowledged(output: string, known: Acknowledged): void {
  // A last line without its end was cut off.
  for (const line of output.split('\n').slice(0, -1)) {
    const [word, chain, step, revision] = line.split(' ');
    if (word !== 'ack') continue;
    known.steps.set(Number(chain), Number(step));
    known.highest = Math.max(known.highest, Number(revision));
  }
}

/** Looks at the store after a crash; returns how far its history has been read. */
export async function checkStore(options: StoreOptions, known: Acknowledged, after: number): Promise<number> {
  await using store = await openStore(options);
  await store.check();
  const { items, revision } = await store.list({ resource });
  assert.ok(revision >= known.highest, `revision ${revision} is below ${known.highest}, which was acknowledged`);
  const byChain = Map.groupBy(items, ({ key }) => Number(key.cluster.slice(1)));
  for (const [chain, step] of known.steps) {
    const found = new Map((byChain.get(chain) ?? []).map(({ key, value }) => [key.name, stepOfBytes(value.bytes)]));
    known.steps.set(chain, checkChainState(chain, step, found));
  }
  return await checkHistory(store, after);
}

function checkChainState(chain: number, acknowledged: number, found: ReadonlyMap<string, number>): number {
  const step = found.get(markerName) ?? 0;
  const isPossible = step === acknowledged || step === acknowledged + 1;
  assert.ok(isPossible, `chain ${chain} is at step ${step}, but ${acknowledged} was acknowledged`);
  const whole = isRemoved(step) ? [] : objectNames.map(name => [name, step] as const);
  assert.deepEqual(found, new Map([[markerName, step], ...whole]), `chain ${chain} is half at step ${step}`);
  return step;
}

/** Every revision is there, and every commit's revisions stand together. */
async function checkHistory(store: Store, from: number): Promise<number> {
  let after = from;
  let commit: OpenCommit | undefined;
  for (;;) {
    const page = await store.changes({ after, limit: 1000 });
    for (const change of page.changes) {
      assert.equal(change.revision, after + 1, 'history has a gap');
      after = change.revision;
      commit = follow(commit, change);
    }
    if (!page.more) break;
  }
  if (commit !== undefined) checkWhole(commit);
  return after;
}

type OpenCommit = { readonly chain: string; readonly step: number; readonly names: string[] };

function follow(commit: OpenCommit | undefined, { key, value }: Change): OpenCommit {
  const step = stepOfBytes(value.bytes);
  if (commit?.chain === key.cluster && commit.step === step) {
    commit.names.push(key.name);
    return commit;
  }
  if (commit !== undefined) checkWhole(commit);
  return { chain: key.cluster, step, names: [key.name] };
}

const checkWhole = ({ chain, step, names }: OpenCommit): void =>
  assert.deepEqual(names, [markerName, ...objectNames], `step ${step} of ${chain} is not in one piece`);
