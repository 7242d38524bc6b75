import { after, before, describe } from 'node:test';
import { describeDeleting } from './contract/delete-contract.ts';
import { describeListing } from './contract/list-contract.ts';
import { describeApplying, describePatching } from './contract/patch-contract.ts';
import { type ContractExtras, type OpenedClient, openWorld, type World } from './contract/test-world.ts';
import { describeWatchExtras, describeWatching } from './contract/watch-contract.ts';
import { describeWriting } from './contract/write-contract.ts';

/**
 * What every client does, whatever carries its calls and whatever serves them: only what Kubernetes itself guarantees.
 * Works in a namespace and on a kind of its own, and removes both.
 */
export function describeClientContract(
  name: string,
  open: () => Promise<OpenedClient>,
  extras: ContractExtras = {},
): void {
  describe(`the client ${name}`, () => {
    let opened: World | undefined;
    before(async () => {
      opened = await openWorld(await open());
    });
    after(() => opened?.[Symbol.asyncDispose]());
    const world = (): World => {
      if (opened === undefined) throw new TypeError('the client could not be opened');
      return opened;
    };
    describeWriting(world);
    describePatching(world);
    describeApplying(world);
    describeDeleting(world);
    describeListing(world);
    describeWatching(world);
    describeWatchExtras(world, extras);
  });
}
