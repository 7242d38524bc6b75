import type { JsonObject, KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { type EventuallyOptions, eventually } from '@chandlery/testing';
import { createInformer } from '../informer/create-informer.ts';
import type { Informer, InformerOptions } from '../informer/informer.ts';
import { type Boat, freshName, timeoutMs, type World } from './test-world.ts';

/** Boats that only one test knows: they bear its label. */
export class Yard {
  readonly world: World;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelSelector: string;

  constructor(world: World) {
    const value = freshName();
    this.world = world;
    this.labels = { test: value };
    this.labelSelector = `test=${value}`;
  }

  get client(): Client {
    return this.world.client;
  }

  /** Creates a boat under a fresh name and returns the name. */
  async make(metadata: KubeObject['metadata'] = {}): Promise<string> {
    const name = metadata.name ?? freshName();
    const labels = { ...this.labels, ...metadata.labels };
    await this.client.create<Boat>(this.world.boats, {
      apiVersion: `${this.world.group}/v1`,
      kind: 'Boat',
      metadata: { ...metadata, name, labels },
      spec: { sails: 1 },
    });
    return name;
  }

  at(name: string): ObjectRef {
    return { ...this.world.boats, name };
  }

  key(name: string): string {
    return `${this.world.namespace}/${name}`;
  }

  read(name: string): Promise<Boat> {
    return this.client.get<Boat>(this.at(name));
  }

  patch(name: string, body: JsonObject): Promise<Boat> {
    return this.client.patch<Boat>(this.at(name), { type: 'merge', body });
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(this.at(name));
  }

  /** Waits until the stored boat is as it should be. */
  until(name: string, isSo: (boat: Boat) => boolean, what = `boat ${name}`): Promise<Boat> {
    return patiently(
      async () => {
        const boat = await this.read(name);
        return isSo(boat) && boat;
      },
      { what },
    );
  }

  /** Waits until no such boat is stored. */
  async untilGone(name: string): Promise<void> {
    await patiently(
      async () =>
        (await this.client.list(this.world.boats, { fieldSelector: `metadata.name=${name}` })).items.length === 0,
      { what: `boat ${name} to be deleted` },
    );
  }

  /** An informer of the boats of this test. */
  informer(options: Partial<InformerOptions<Boat>> = {}): Informer<Boat> {
    const { client, labelSelector } = this;
    return createInformer<Boat>({ client, ref: this.world.boats, labelSelector, backOff: { baseMs: 5 }, ...options });
  }
}

/** `eventually` with the timeout of the suite. */
export const patiently = <T extends NonNullable<unknown> | null | undefined>(
  attempt: () => T | Promise<T>,
  options: EventuallyOptions = {},
) => eventually(attempt, { timeoutMs: timeoutMs, ...options });
