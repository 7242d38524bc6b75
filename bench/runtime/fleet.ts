import type { Client } from '@chandlery/client';
import {
  type Controller,
  type ControllerOptions,
  createController,
  createInformer,
  type Informer,
} from '@chandlery/runtime';
import { type Boat, boats, boatsIn, hoist } from './boats.ts';

/** A controller of all boats at work. */
export interface Fleet extends AsyncDisposable {
  readonly controller: Controller;
  readonly informer: Informer<Boat>;
}

/** What a fleet is, where it is not as in production: of all boats, and one worker. */
export type FleetOptions = Partial<ControllerOptions<Boat, object>> & { readonly namespace?: string };

/** Starts a controller and its informer. */
export function startFleet(client: Client, { namespace, ...given }: FleetOptions = {}): Fleet {
  const ref = namespace === undefined ? boats : boatsIn(namespace);
  const informer = createInformer<Boat>({ client, ref });
  const own = { ref, informer };
  const controller = createController<Boat, object>({
    name: 'fleet',
    client,
    for: own,
    steps: [hoist],
    needs: {},
    ...given,
  });
  controller.start();
  return {
    controller,
    informer,
    [Symbol.asyncDispose]: async () => {
      await controller.stop();
      await informer.stop();
    },
  };
}

/** Resolves when the informer shows the boat as wanted. */
export function untilShown(informer: Informer<Boat>, key: { namespace: string; name: string }, sails: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (informer.get(key.namespace, key.name)?.status?.sails === sails) resolve();
  };
  const unlisten = informer.listen({ added: look, updated: look });
  return promise.finally(unlisten);
}
