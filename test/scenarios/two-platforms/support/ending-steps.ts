import assert from 'node:assert/strict';
import { eventually } from '@chandlery/testing';
import { persist } from './persist.ts';
import { patience, type StoryStep } from './story-step.ts';
import { ids, place, type StoryWorld } from './story-world.ts';

const cascade = ({ manager }: StoryWorld) =>
  manager.ask(`/v1/platforms/${ids.cluster}?cascade=true`, { method: 'DELETE' });

export const leavePlatform: StoryStep = {
  name: 'platform A is not deleted while its proxy is connected, nor while platform B refers to its database',
  act: async world => {
    const { proxies, cloud, ordered } = world;
    assert.equal((await cascade(world)).status, 422);
    await proxies.cluster?.stop();
    delete proxies.cluster;
    await eventually(
      async () => {
        const { status, text } = await cascade(world);
        assert.equal(status, 422);
        return /refer to shared/.test(text);
      },
      { ...patience, what: 'the refusal that names the reference' },
    );
    const { reference, referenceBinding } = ordered;
    if (referenceBinding !== undefined) await persist(() => cloud.consumer.deleteBinding(referenceBinding));
    delete ordered.referenceBinding;
    if (reference !== undefined) await persist(() => cloud.consumer.deleteInstance(reference));
    delete ordered.reference;
  },
  check: async ({ manager, databases }) => {
    assert.deepEqual([databases.instances.size, databases.bindings.size], [1, 1]);
    const rows = await manager.list('/v1/service_instances');
    assert.deepEqual(rows.map(({ name }) => name).sort(), ['db', 'queue-of-b']);
  },
};

export const deletePlatform: StoryStep = {
  name: 'platform A is deleted with all that it had, and platform B goes on',
  act: async world => {
    const answer = await cascade(world);
    if (answer.status === 404) return;
    assert.equal(answer.status, 202, answer.text);
    const location = answer.headers.get('location') ?? '';
    await eventually(
      async () => {
        const { state, errors } = (await world.manager.call(location)).json();
        assert.notEqual(state, 'failed', JSON.stringify(errors));
        return state === 'succeeded';
      },
      { ...patience, what: 'the cascade to end' },
    );
  },
  check: async world => {
    const { manager, databases, cloud, ordered } = world;
    assert.equal((await manager.ask(`/v1/platforms/${ids.cluster}`)).status, 404);
    assert.deepEqual([databases.instances.size, databases.bindings.size], [0, 0]);
    const { queue } = ordered;
    assert.ok(queue !== undefined);
    const binding = await persist(() => cloud.consumer.createBinding(place, queue));
    await persist(() => cloud.consumer.deleteBinding(binding));
  },
};
