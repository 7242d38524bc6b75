import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { hostImages } from '../../kinds/host-image.ts';
import { startTestClusters } from '../../test-clusters.ts';
import { HostImageMap, toImageMap } from './host-image-map.ts';

const hostImage = (name: string, image: string, command: string) =>
  hostImages.object({ name }, { image, command: [command] });

describe('What stands for images', () => {
  it('follows the HostImages', async () => {
    const map = new HostImageMap();
    await using landscape = await startTestClusters({ hostImages: map });
    assert.deepEqual(map.images(), {});
    const { platform } = landscape;
    await platform.create(hostImages.ref, {
      ...hostImage('db', 'postgres:*', './run'),
      spec: { image: 'postgres:*', command: ['./run', '-D'], folder: '/opt/pg', env: { A: 'b' } },
    });
    await eventually(() => Object.keys(map.images()).length === 1);
    const mapping = { command: ['./run', '-D'], folder: '/opt/pg', env: { A: 'b' } };
    assert.deepEqual(map.images(), { 'postgres:*': mapping });
    await platform.delete({ ...hostImages.ref, name: 'db' });
    await eventually(() => Object.keys(map.images()).length === 0);
  });

  it('is what the oldest of several says', () => {
    const at = (creationTimestamp: string, name: string) => {
      const image = hostImage(name, 'app', name);
      return { ...image, metadata: { name, creationTimestamp } };
    };
    const both = [at('2030-01-02T00:00:00Z', 'a'), at('2030-01-01T00:00:00Z', 'b')];
    assert.deepEqual(toImageMap(both)['app']?.command, ['b']);
    assert.deepEqual(toImageMap(both.toReversed())['app']?.command, ['b']);
  });
});
