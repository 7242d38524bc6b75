// A process that writes straight to a store and prints what was acknowledged. It is made to be killed.
import { writeSync } from 'node:fs';
import { isError } from '@chandlery/api';
import { openStore, type Store, type StoreOptions } from '@chandlery/kernel';
import { commitTo, markerName, resource, stepOfBytes } from './store-chains.ts';

const { options, chains, paddingBytes } = JSON.parse(process.argv[2] ?? '') as {
  readonly options: StoreOptions;
  readonly chains: number;
  readonly paddingBytes: number;
};

async function runChain(store: Store, chain: number): Promise<never> {
  const { items } = await store.list({ cluster: `c${chain}`, resource });
  const marker = items.find(({ key }) => key.name === markerName);
  let known = new Map(items.map(({ key, revision }) => [key.name, revision]));
  for (let step = (marker === undefined ? 0 : stepOfBytes(marker.value.bytes)) + 1; ; step++) {
    const commit = commitTo(chain, step, known, paddingBytes);
    const { revisions } = await store.commit(commit);
    // At once and by hand: whatever is said here must not be kept in a buffer when the end comes.
    writeSync(1, `ack ${chain} ${step} ${revisions.at(-1)}\n`);
    known = new Map(
      commit.writes.flatMap(({ type, key }, no) => (type === 'put' ? [[key.name, revisions[no] ?? 0] as const] : [])),
    );
  }
}

const store = await openStore(options);
writeSync(1, 'writing\n');
const work = Array.from({ length: chains }, (_, chain) => runChain(store, chain));
for (const { reason } of (await Promise.allSettled(work)) as PromiseRejectedResult[]) {
  // A machine that is busy enough makes the database seem away; the chain ends with its last write in doubt.
  if (!isError(reason, 'Unavailable')) throw reason;
}
setInterval(() => undefined, 60_000);
