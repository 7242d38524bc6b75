import assert from 'node:assert/strict';
import { eventually } from '@chandlery/testing';
import {
  applyByKubectl,
  collections,
  getObject,
  readyOf,
  secretTexts,
  serviceBinding,
  serviceInstance,
} from './objects-of-cluster.ts';
import { persist } from './persist.ts';
import { patience, type StoryStep } from './story-step.ts';
import { place, type StoryWorld } from './story-world.ts';

/** Waits until something that a user of the cluster ordered is there; answers its id at the broker. */
async function readyOnCluster(world: StoryWorld, kind: 'serviceInstances' | 'serviceBindings', name: string) {
  return eventually(
    async () => {
      const object = await getObject(world, collections[kind], name);
      assert.equal(readyOf(object)?.status, 'True', JSON.stringify(object.status));
      return object.status?.externalId;
    },
    { ...patience, what: `${name} on platform A` },
  );
}

export const orderOnCluster: StoryStep = {
  name: 'a user of platform A orders a database with kubectl',
  act: world => applyByKubectl(world, serviceInstance),
  check: async world => {
    const id = await readyOnCluster(world, 'serviceInstances', serviceInstance.metadata.name);
    assert.deepEqual([...world.databases.instances.keys()], [id]);
    const { parameters, context } = world.databases.instances.get(id) ?? {};
    assert.deepEqual(parameters, serviceInstance.spec.parameters);
    assert.equal(context?.['platform'], 'kubernetes');
  },
};

export const bindOnCluster: StoryStep = {
  name: 'the user of platform A binds it and finds the credentials in a Secret',
  act: world => applyByKubectl(world, serviceBinding('db-access')),
  check: async world => {
    const id = await readyOnCluster(world, 'serviceBindings', 'db-access');
    assert.deepEqual([...world.databases.bindings.keys()], [id]);
    const credentials = await eventually(() => secretTexts(world, collections.secrets, 'db-access'), patience);
    assert.deepEqual(credentials, world.databases.bindings.get(id)?.credentials);
  },
};

export const useOnCloud: StoryStep = {
  name: 'users of platform B bind the database of platform A, and a queue of their own',
  act: async ({ cloud, databases, ordered }) => {
    const { consumer } = cloud;
    const [referenced_instance_id = ''] = databases.instances.keys();
    const reference = await persist(() =>
      consumer.createInstance(place, 'reference-instance', { name: 'db-of-a', parameters: { referenced_instance_id } }),
    );
    ordered.reference = reference;
    ordered.referenceBinding = await persist(() => consumer.createBinding(place, reference));
    const queue = await persist(() => consumer.createInstance(place, 'queue-2/async', { name: 'queue-of-b' }));
    ordered.queue = queue;
    ordered.queueBinding = await persist(() => consumer.createBinding(place, queue));
  },
  check: async world => {
    const { databases, queues, ordered } = world;
    const ofCluster = await eventually(() => secretTexts(world, collections.secrets, 'db-access'), patience);
    const ofCloud = ordered.referenceBinding?.credentials;
    assert.equal(ofCloud?.['uri'], ofCluster['uri'], 'both lead to the same database');
    assert.notEqual(ofCloud?.['password'], ofCluster['password']);
    assert.equal(databases.instances.size, 1, 'the broker knows nothing of references');
    assert.equal(databases.bindings.size, 2);
    assert.deepEqual([queues.instances.size, queues.bindings.size], [1, 1]);
  },
};
