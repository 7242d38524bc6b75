import { after, before, describe } from 'node:test';
import { describeController } from './contract/controller-contract.ts';
import { describeControllerLife } from './contract/controller-life-contract.ts';
import { describeHelpers } from './contract/helpers-contract.ts';
import { describeInformer } from './contract/informer-contract.ts';
import { describeInformerLink } from './contract/informer-link-contract.ts';
import { describeLeases } from './contract/lease-contract.ts';
import { type OpenedClient, openWorld, type World } from './contract/test-world.ts';

/**
 * What the runtime does on every Kubernetes, with or without the controllers that usually run beside it. Works in a
 * namespace and on a kind of its own, and removes both; a server without controllers keeps the empty namespace.
 */
export function describeRuntimeContract(name: string, open: () => Promise<OpenedClient>): void {
  describe(`the runtime ${name}`, () => {
    let opened: World | undefined;
    before(async () => {
      opened = await openWorld(await open());
    });
    after(() => opened?.[Symbol.asyncDispose]());
    const world = (): World => {
      if (opened === undefined) throw new TypeError('the client could not be opened');
      return opened;
    };
    describeInformer(world);
    describeInformerLink(world);
    describeController(world);
    describeControllerLife(world);
    describeHelpers(world);
    describeLeases(world);
  });
}
