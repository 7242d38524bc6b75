import type { Client } from '@chandlery/client';
import type { Controller, ControllerOptions } from '../controller/controller-options.ts';
import { createController } from '../controller/create-controller.ts';
import type { Step } from '../controller/step.ts';
import { isConditionTrue } from '../helpers/conditions.ts';
import type { Boat, World } from './test-world.ts';
import { Yard } from './test-yard.ts';

export type BoatStep = Step<Boat, object>;

/** States in the status what the spec wants. */
export const hoist: BoatStep = object => {
  object.status = { ...object.status, sails: object.spec?.sails ?? 0 };
  return 'continue';
};

export const isSynced = (boat: Boat): boolean => isConditionTrue(boat, 'Synced');

/** A controller at work on the boats of one test. */
export interface Harbour extends AsyncDisposable {
  readonly yard: Yard;
  readonly controller: Controller;
  /** The kinds of writes that the controller sent, with the name of the boat. */
  readonly writes: readonly string[];
}

export type Given = Partial<ControllerOptions<Boat, object>> & {
  readonly steps: readonly BoatStep[];
  readonly yard?: Yard;
  /** Runs before each write of the controller. */
  readonly interfere?: (yard: Yard, name: string) => Promise<void>;
};

/** Starts a controller; what is not given is as in production. */
export async function startHarbour(
  world: World,
  { yard = new Yard(world), interfere, ...given }: Given,
): Promise<Harbour> {
  await using stack = new AsyncDisposableStack();
  const informer = stack.use(yard.informer());
  const writes: string[] = [];
  const client = noting(world.client, async (what, name) => {
    writes.push(`${what} ${name}`);
    await interfere?.(yard, name);
  });
  const own = { ref: world.boats, informer };
  const controller = stack.use(
    createController<Boat, object>({ name: 'harbour', client, for: own, needs: {}, ...given }),
  );
  controller.start();
  await informer.synced;
  const all = stack.move();
  return { yard, controller, writes, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function noting(client: Client, note: (what: string, name: string) => Promise<void>): Pick<Client, 'patch' | 'update'> {
  return {
    patch: async (ref, patch, options) => {
      await note('object', ref.name);
      return client.patch(ref, patch, options);
    },
    update: async (ref, object, options) => {
      await note(ref.subresource ?? 'update', ref.name);
      return client.update(ref, object, options);
    },
  };
}
