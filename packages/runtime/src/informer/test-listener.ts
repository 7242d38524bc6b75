import assert from 'node:assert/strict';
import type { KubeObject } from '@chandlery/api';
import type { InformerListener } from './informer.ts';
import { cacheKeyOf } from './object-cache.ts';

/** Mirrors the events that it gets, and asserts that they are consistent. */
export class TestListener implements InformerListener {
  readonly objects = new Map<string, KubeObject>();
  /** What happened, as `added a`, `updated a`, `deleted a?` (final state unknown). */
  readonly received: string[] = [];

  added(object: KubeObject): void {
    const key = cacheKeyOf(object);
    assert.ok(!this.objects.has(key), `${key} was added twice`);
    this.#note('added', object);
    this.objects.set(key, object);
  }

  updated(object: KubeObject, previous: KubeObject): void {
    assert.equal(this.objects.get(cacheKeyOf(object)), previous, 'the previous state is the one delivered before');
    assert.equal(object.metadata.uid, previous.metadata.uid, 'an update is of the same object');
    assert.notEqual(object.metadata.resourceVersion, previous.metadata.resourceVersion, 'an update changes something');
    this.#note('updated', object);
    this.objects.set(cacheKeyOf(object), object);
  }

  deleted(object: KubeObject, { isFinalStateKnown }: { isFinalStateKnown: boolean }): void {
    const known = this.objects.get(cacheKeyOf(object));
    assert.equal(known?.metadata.uid, object.metadata.uid, 'what is deleted was there');
    this.#note('deleted', object, isFinalStateKnown ? '' : '?');
    this.objects.delete(cacheKeyOf(object));
  }

  #note(what: string, { metadata }: KubeObject, mark = ''): void {
    this.received.push(`${what} ${metadata.name}${mark}`);
  }
}
