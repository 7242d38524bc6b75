import assert from 'node:assert/strict';
import type { KubeObject } from '@chandlery/api';
import { revisionOf, stepOf } from './step-object.ts';

/** What a watcher noted of an event. */
export interface SeenEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  readonly revision: number;
  readonly step: number;
}

type Live = Map<string, { readonly step: number; readonly revision: number }>;

/**
 * Checks that events are a history without gap, duplicate or disorder: revisions rise, and each name goes through its
 * steps one by one. Returns what is there at the end.
 */
export function checkChain(events: readonly SeenEvent[]): Live {
  const live: Live = new Map();
  const steps = new Map<string, number>();
  let last = 0;
  for (const event of events) {
    const { type, name, revision, step } = event;
    const why = `after revision ${last}, step ${steps.get(name) ?? 0} of the name: ${JSON.stringify(event)}`;
    assert.ok(revision > last, `revisions do not rise ${why}`);
    assert.equal(live.has(name), type !== 'ADDED', `the type does not fit ${why}`);
    assert.equal(step, (steps.get(name) ?? 0) + (type === 'DELETED' ? 0 : 1), `a change is missing or doubled ${why}`);
    last = revision;
    steps.set(name, step);
    if (type === 'DELETED') live.delete(name);
    else live.set(name, { step, revision });
  }
  return live;
}

/** Checks that the history leads exactly to the objects that a list shows. */
export function checkLeadsTo(events: readonly SeenEvent[], objects: readonly KubeObject[]): void {
  const expected = objects
    .filter(object => !Number.isNaN(stepOf(object)))
    .map(object => [object.metadata.name ?? '', { step: stepOf(object), revision: revisionOf(object) }] as const);
  assert.deepEqual(new Map([...checkChain(events)].sort(byName)), new Map(expected.toSorted(byName)));
}

/** What a watcher with the selection `parity=even` must see of the history. */
export function selectEven(events: readonly SeenEvent[]): SeenEvent[] {
  const matching = new Map<string, number>();
  return events.flatMap((event): SeenEvent[] => {
    const { name, step } = event;
    const before = matching.get(name);
    const isMatch = event.type !== 'DELETED' && step % 2 === 0;
    if (isMatch) matching.set(name, step);
    else matching.delete(name);
    if (isMatch) return [{ ...event, type: before === undefined ? 'ADDED' : 'MODIFIED' }];
    // An object that leaves the selection is shown as it last was in it.
    return before === undefined ? [] : [{ ...event, type: 'DELETED', step: before }];
  });
}

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : left > right ? 1 : 0;
